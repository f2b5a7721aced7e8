//! Clusters of machines on one air, judged by what is heard there. Which machines there are and what
//! is on their disks says `kube-boards`; what is known by listening, `kube-sniff`.
//!
//! | module | holds |
//! |---|---|
//! | [`engine`] | what runs a machine: emulator or circuit |
//! | [`station`] | a machine with its radio |
//! | [`world`] | machines and air, advanced together in quanta |
//! | [`lab`](mod@lab) | a fleet on its air: what is done to it, what is heard |
//! | [`scenario`] | what is done and what must be heard, as data |
//! | [`intruder`] | recordings of every age, played to a running cluster |
//! | [`terminal`] | serial lines on pseudo-terminals, in real time |
//! | [`line`](mod@line) | one machine and a tool on its serial line, with faults |
//! | [`desk`] | an operator who gives commands over the air |
//! | [`dongle`] | a USB dongle that listens, its firmware in an emulator |
//! | [`ft232h`] | an adapter with a radio module, as its host sees it |
//! | [`rotation`] | a cluster changes its key while it works |
//! | [`store`] | the control plane's store when power fails |
//! | [`crowd`] | how many frames of many machines arrive |
//! | [`load`] | how many nodes and pods a cluster bears |
//! | [`throughput`] | how fast the radio driver is |
//! | [`panel`] | a running cluster with its switches on a terminal |
//! | [`attach`] | a running lab for other programs, by a socket |
//! | [`cards`] | machines' cards in the hands of those programs |
//! | [`capture`] | the air of a run as a pcapng file |
//! | [`view`] | the observer's knowledge as text |
//! | [`trace`] | the digest of a run |

pub mod attach;
pub mod capture;
pub mod cards;
pub mod crowd;
pub mod desk;
pub mod dongle;
pub mod engine;
pub mod ft232h;
pub mod intruder;
pub mod lab;
pub mod line;
pub mod load;
pub mod panel;
pub mod restore;
pub mod rotation;
pub mod scenario;
pub mod station;
pub mod store;
pub mod terminal;
pub mod throughput;
pub mod trace;
pub mod view;
pub mod world;
