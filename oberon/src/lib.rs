//! The Oberon modules of the system, Kube and its pods, and how they are built.
