//! The control plane, the kubelet and the radio driver on real machines: one machine at a time, with
//! frames from outside where the other side is needed. Source of the expected behaviour: spec/kube.md
//! 3 to 6.

mod backup;
mod bench;
mod cluster;
mod commands;
mod containment;
mod control_plane;
mod image;
mod intruders;
mod keys;
mod node;
mod objects;
mod packets;
mod partner;
mod plane;
mod radio;
mod reasons;
mod sessions;
mod store;
mod tables;
mod usage;
