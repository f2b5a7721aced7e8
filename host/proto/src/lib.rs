//! What is on the air: frames, packets, KubeNet messages and their authentication.
