//! What `kube`, `kube-flash`, `kube-boot`, `kube-sniff` and `kube-inject` are made of. The programs themselves
//! are a line each: they hand their flags to [`program::main`].
//!
//! | module | holds |
//! |---|---|
//! | [`program`] | what every program does around its work: flags, help, man page, completions, exit |
//! | [`flags`] | the flags that mean the same in every program |
//! | [`discovery`] | which fleet and which board are meant, and who said so |
//! | [`code`] | exit codes, error codes and their explanations |
//! | [`failure`] | an error as a person sees it: headline, cause, what helps |
//! | [`talk`] | what goes to stderr: lines, progress, questions |
//! | [`output`] | what goes to stdout: tables, JSON |
//! | [`interrupt`] | Ctrl-C |
//! | [`host`] | the disks and ports of this computer, as `/sys`, `/proc` and `/dev` show them |
//! | [`lock`] | one program at a time works on a board |
//! | [`features`] | what the tools promise, and the tests that hold them to it |
//! | [`boot`] | `kube-boot` |
//! | [`flash`] | `kube-flash` |
//! | [`inject`] | `kube-inject` |
//! | [`kube`](mod@kube) | `kube` |
//! | [`sniff`] | `kube-sniff` |

pub mod boot;
pub mod code;
pub mod discovery;
pub mod failure;
pub mod features;
pub mod flags;
pub mod flash;
pub mod host;
pub mod inject;
pub mod interrupt;
pub mod kube;
pub mod lock;
pub mod output;
pub mod program;
pub mod sniff;
pub mod talk;
