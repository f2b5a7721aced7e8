//! Exit codes, error codes and their explanations. One table for help, man pages, `--explain` and the
//! programs themselves.

/// How a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table in `Exit::ALL` says what each means")]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    NoDevice = 3,
    Refused = 4,
    Differs = 5,
    Denied = 6,
    TimedOut = 124,
    Interrupted = 130,
}

impl Exit {
    /// Every exit code and what it means.
    pub const ALL: [(Exit, &'static str); 9] = [
        (Exit::Done, "done"),
        (Exit::Failed, "failed; with --dry-run and diff: there are differences"),
        (Exit::Usage, "wrong usage"),
        (Exit::NoDevice, "no such device, or several"),
        (Exit::Refused, "refused for safety"),
        (Exit::Differs, "verification differs"),
        (Exit::Denied, "no permission, or busy"),
        (Exit::TimedOut, "timed out"),
        (Exit::Interrupted, "interrupted"),
    ];

    /// The table as it stands at the end of every help.
    #[must_use]
    pub fn help() -> String {
        let row = |(exit, meaning): &(Exit, &str)| format!("\n  {:>3}  {meaning}", *exit as u8);
        let rows: String = Self::ALL.iter().map(row).collect();
        format!("Exit codes:{rows}\n\nEvery error has a code; --explain CODE says more about it.")
    }
}

/// One kind of error.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Name, such as `kube::card::mounted`.
    pub name: &'static str,
    /// How the program ends with it.
    pub exit: Exit,
    /// What it means, why it is so and what to do, at length.
    pub explanation: &'static str,
}

/// Declares error codes, and `ALL` with all of them.
macro_rules! codes {
    ($($id:ident = $name:literal, $exit:ident, $explanation:literal;)*) => {
        $(
            #[doc = $explanation]
            pub const $id: $crate::code::Code = $crate::code::Code {
                name: $name,
                exit: $crate::code::Exit::$exit,
                explanation: $explanation,
            };
        )*
        /// All codes of this table.
        pub const ALL: &[&$crate::code::Code] = &[$(&$id),*];
    };
}
pub(crate) use codes;

codes! {
    USAGE = "kube::usage", Usage,
        "The command line asks for something that cannot be. The help of the verb (--help) shows its \
         flags and their values.";
    CODE_UNKNOWN = "kube::code::unknown", Usage,
        "--explain knows the codes that stand in the first line of an error, such as \
         kube::board::unknown.";
    IO = "kube::io", Failed,
        "The operating system refused to read or write something; its reason stands in the error.";
    FILE_DENIED = "kube::file::denied", Denied,
        "The operating system does not allow this user to read the file: it belongs to somebody else, or its \
         mode forbids it. Its owner can change that with chmod.";
    INTERRUPTED = "kube::interrupted", Interrupted,
        "Ctrl-C, or a signal that asks a program to end. What had been begun on a card is marked as \
         unfinished: the card does not start a machine until it is written again.";
    INTERACTIVE = "kube::question", Refused,
        "A question has to be answered and there is nobody to ask: standard input is no terminal, or \
         --non-interactive was given. --yes answers the usual questions; writing to a card also wants \
         --expect-serial.";
    DECLINED = "kube::declined", Refused,
        "The question was answered with something else than what it asked for, so nothing was done.";
    FLEET_MISSING = "kube::fleet::missing", Usage,
        "No fleet file was named by --fleet or KUBE_FLEET, and neither fleet.toml nor \
         boards/fleet.toml stands in this folder or one above it. kube-flash init writes one.";
    FLEET_READ = "kube::fleet::read", Failed,
        "The fleet file, its local companion or its key file cannot be opened.";
    FLEET_PLACE = "kube::fleet::place", Usage,
        "Something in the fleet file is wrong, at the line and column shown. boards/fleet.toml of the \
         project is an example with every table.";
    FLEET_KEY_MODE = "kube::fleet::key-mode", Refused,
        "A file with a key may be read by its owner only (mode 0600): whoever has the key can give \
         orders to every machine of the cluster.";
    BOARD_UNKNOWN = "kube::board::unknown", NoDevice,
        "The fleet file has no board of that name. A board has one name for its image, its card, its \
         serial line and the air.";
    BOARD_AMBIGUOUS = "kube::board::ambiguous", NoDevice,
        "Several boards could be meant and none was named. The order is: --board, KUBE_BOARD, \
         board = in the table tool of fleet.local.toml, the same in fleet.toml, the only board of the fleet; on \
         a terminal there is a menu at last.";
    BOARD_BUSY = "kube::board::busy", Denied,
        "Another program works on this board. --wait SECONDS waits for it.";
    HOST = "kube::host", Failed,
        "--host runs the tool on another machine with ssh; ssh could not be started there or ended \
         without the tool's answer.";
}

/// All codes of all tools.
#[must_use]
pub fn all() -> Vec<&'static Code> {
    use crate::{boot, flash, inject, kube, sniff};
    let tools = [boot::codes::ALL, flash::codes::ALL, sniff::codes::ALL, inject::codes::ALL];
    [ALL, kube::codes::ALL].into_iter().chain(tools).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_one_name_each_and_an_explanation() {
        let mut names: Vec<_> = all().iter().map(|code| code.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for code in all() {
            assert!(code.name.starts_with("kube::"), "{}", code.name);
            assert!(code.explanation.len() > 60, "{} is hardly explained", code.name);
            assert!(code.exit != Exit::Done, "{}", code.name);
        }
    }
}
