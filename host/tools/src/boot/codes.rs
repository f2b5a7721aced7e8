//! Error codes of `kube-boot`.

use crate::code::codes;

codes! {
    PORT_UNKNOWN = "kube::port::unknown", NoDevice,
        "The serial port of the board is not known. A port that nobody has named is never opened: it \
         might be another device, and opening it can reset that. Write uart = \"SERIAL NUMBER\" or \
         uart = \"/dev/...\" for the board into fleet.local.toml, or give --port.";
    PORT_MISSING = "kube::port::missing", NoDevice,
        "There is no such port. The adapter is not plugged in, or has another serial number than the \
         fleet file says.";
    PORT_DENIED = "kube::port::denied", Denied,
        "The operating system does not allow this user to open the port. Serial ports usually belong to \
         the group dialout: add yourself with adduser and log in again.";
    PORT_BUSY = "kube::port::busy", Denied,
        "Another program has the port open. --wait SECONDS waits for it.";
    PORT_LOST = "kube::port::lost", NoDevice,
        "The port went away in the middle: the adapter was unplugged. What became of the command that \
         was under way is not known; a load or a write has to be repeated.";
    LINE_BUSY = "kube::line::busy", Denied,
        "Another tool holds the board's line, through another port or from another computer. Its hold \
         ends three seconds after its last line. --wait SECONDS waits for it.";
    LINE_SILENT = "kube::line::silent", TimedOut,
        "The board did not answer, so it has not been asked to do anything. It may be switched off, in \
         its boot loader, running another system or at another rate: the line is 115200 baud, 8 data \
         bits, no parity, 1 stop bit. kube-boot monitor shows what it says.";
    COMMAND = "kube::command::form", Usage,
        "A command is Module.Command and its parameters: printable ASCII characters, 255 at most. \
         Several commands are separated by semicolons.";
    COMMAND_FAILED = "kube::command::failed", Failed,
        "The board says that the command could not be done. What it wrote on its log says why.";
    COMMAND_UNKNOWN = "kube::command::unknown", Failed,
        "The command was sent, and nobody can say whether it was done: the board restarted, another \
         tool took the line, or no answer came in time. A command runs at most once per boot, so it has \
         not run twice. Look at the state of the board before you send it again.";
    ANSWER = "kube::command::answer", Failed,
        "The board did the command, and what it wrote is not what this tool reads: the board's system is \
         of another version than the tool.";
    TIMEOUT = "kube::line::timeout", TimedOut,
        "The time given by --timeout is over. What has not been answered by then is not known.";
    LOAD_IMAGE = "kube::load::image", Usage,
        "What is to be loaded is no boot image: a memory image of at least 184 bytes whose word at byte \
         16 is its length, at most 98304 bytes, or a disk image with one in its boot area.";
    WRITE_FAILED = "kube::write::failed", Failed,
        "Not all sectors are on the card. The board still runs the system in its memory; repeat the \
         write before it is restarted: only what is missing is sent.";
}
