//! Clusters of machines on one air, judged by what is heard there.
