//! Listening to the air of a cluster, and sending on it for tests.
//!
//! | module | holds |
//! |---|---|
//! | [`source`] | where frames come from: a relay, a capture, a running lab |
//! | [`decoder`] | a captured frame to what it says, for every source |
//! | [`reading`] | a message as named values, by the table in `kube-proto` |
//! | [`keyring`] | cluster and keys by which signatures are judged |
//! | [`oberon_net`] | packet types of Project Oberon's Net, and where passwords stand |
//! | [`line`](mod@line) | a frame as one line of text, and its bytes |
//! | [`object`] | a frame as one JSON object |
//! | [`mask`] | keys in typed commands |
//! | [`filter`] | which frames are wanted |
//! | [`statistics`], [`cluster`], [`table`] | what each station did, what the cluster looks like, both as text |
//! | [`observer`] | all three for somebody who only listens |
//! | [`expect`] | rules about what must be heard |
//! | [`compare`] | two captures without their times |
//! | [`span`] | times as people write them |
//! | [`dissector`] | the Lua dissector for Wireshark, made from the tables |
//! | [`forge`] | frames made or taken from captures, for tests |

pub mod cluster;
pub mod compare;
pub mod decoder;
pub mod dissector;
pub mod expect;
pub mod filter;
pub mod forge;
pub mod keyring;
pub mod line;
pub mod mask;
pub mod oberon_net;
pub mod object;
pub mod observer;
pub mod reading;
pub mod source;
pub mod span;
pub mod statistics;
pub mod table;
