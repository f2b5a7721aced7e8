//! Error codes of `kube-flash`.

use crate::code::codes;

codes! {
    BUILD = "kube::build", Failed,
        "A module does not compile, or the image of a board has no room for what it should hold. Each \
         error of the compiler names file, line and column.";
    TARGET_KIND = "kube::target::kind", Refused,
        "An image can be written to a file or to a whole disk, and read from them; a folder, a \
         terminal, a pipe or a partition is neither.";
    TARGET_MISSING = "kube::target::missing", NoDevice,
        "There is no file or device of that name. kube-flash list shows the cards and ports that are here.";
    TARGET_DENIED = "kube::target::denied", Denied,
        "The operating system does not allow this user to open the file or device. For cards, \
         kube-flash doctor --udev prints a rule that gives the user at the desk access.";
    TARGET_BUSY = "kube::target::busy", Denied,
        "Another program has the device open for itself, so it cannot be written now.";
    TARGET_FULL = "kube::target::full", Failed,
        "The file system on which the image should be written has no room for it. A file that was \
         begun has been removed; one that was there before is marked as unfinished.";
    TARGET_GONE = "kube::target::gone", NoDevice,
        "The card or its reader was pulled out in the middle. What is on the card is marked as \
         unfinished and does not start a machine; put it back and write again, only what is missing is \
         written then.";
    TARGET_IO = "kube::target::io", Failed,
        "Reading or writing the file or device failed. A card that does so repeatedly is worn out.";
    VERIFY = "kube::verify::differs", Differs,
        "What was read back is not what was written: the card, its reader or the contact between them \
         is faulty. The card is left marked as unfinished so that no machine starts from it.";
    CARD_NONE = "kube::card::none", NoDevice,
        "No card was found that could be meant. Most readers hide the card's serial number; then name \
         the card by its path, in fleet.local.toml or with --to.";
    CARD_SEVERAL = "kube::card::several", NoDevice,
        "Several cards could be meant. Name one with --to, or write its path or serial number into \
         fleet.local.toml.";
    CARD_MOUNTED = "kube::card::mounted", Refused,
        "A file system of this disk is mounted. It is somebody's data or it is in use; unmount it \
         first.";
    CARD_SYSTEM = "kube::card::system", Refused,
        "This disk holds the running system: its root, boot or swap. It is never written.";
    CARD_MEMBER = "kube::card::member", Refused,
        "This disk belongs to a volume group, a RAID or an encrypted volume. Writing to it would \
         destroy more than what can be seen on it.";
    CARD_FIXED = "kube::card::fixed", Refused,
        "This disk is neither removable nor an SD card, so it is most likely not the card meant. Where \
         it is, --i-know-that-this-disk-is-no-card writes to it.";
    CARD_LARGE = "kube::card::large", Refused,
        "This disk is larger than 64 GB, more than the cards that boards take, so it is most likely not \
         the card meant. Where it is, --i-know-that-this-disk-is-no-card writes to it.";
    CARD_SMALL = "kube::card::small", Refused,
        "The file system lies 256 MiB from the start of a card, and the image does not fit between \
         there and the end of this one.";
    CARD_READ_ONLY = "kube::card::read-only", Denied,
        "The card is write-protected: by the slider on its side, or by the reader.";
    CARD_SERIAL = "kube::card::serial", Refused,
        "The card has another serial number than the one that was expected, so it is not the card \
         meant.";
    CARD_UNNAMED = "kube::card::unnamed", Refused,
        "With --yes nobody looks at what is written to, so the card must be named by its serial \
         number: --expect-serial, or sd = { serial = ... } in the fleet file.";
    IMAGE_KIND = "kube::image::kind", Failed,
        "What is there is no Oberon image: the directory mark 9B1EA38DH stands neither at its start nor \
         256 MiB from it.";
    IMAGE_UNFINISHED = "kube::image::unfinished", Failed,
        "A write to this card or file was interrupted. Its first block carries a mark in place of the \
         directory, so no machine starts from it. Write it again: only what is missing is written.";
    IMAGE_DAMAGED = "kube::image::damaged", Failed,
        "The check found damage. Each finding names the place, and what can be done.";
    IMAGE_FILE = "kube::image::file", Failed,
        "The file asked for is not on the image, its name cannot be one, or there is no room for it. \
         Names are a letter, then letters, digits and dots, 31 characters in all.";
    FILE_EXISTS = "kube::file::exists", Refused,
        "A file of that name is there already, and nobody has said that it may go. --yes replaces it.";
    MODULE = "kube::module", Failed,
        "The module cannot be loaded on this image: it is no object file, or it imports a module that \
         the image lacks or has in another version.";
    BITSTREAM_KIND = "kube::bitstream::kind", Refused,
        "The file is no bitstream for an ECP5: the preamble FFFFBDB3H or the command that names the part \
         is not where such files have them.";
    BITSTREAM_PART = "kube::bitstream::part", Refused,
        "The bitstream was made for another part than the one on the board, as the fleet file names its \
         model. A part refuses a bitstream of another one.";
    BITSTREAM_MODEL = "kube::bitstream::model", Usage,
        "To load a bitstream, the model of the board must stand in the fleet file: it says which part it \
         has and how it is reached.";
    BITSTREAM_REVISION = "kube::bitstream::revision", Refused,
        "The bitstream was made for another revision of the circuit board, or the fleet file does not \
         say which one the board has. Pins have other meanings on other revisions: on a ULX3S, F1 \
         enables the ESP32 on 3.0 and is its GPIO0 on 3.1. The revision is printed on the board.";
    LOADER = "kube::loader", Failed,
        "openFPGALoader could not be started or did not load the bitstream; what it says stands above. \
         The image has been written before.";
    MONITOR = "kube::monitor", Failed,
        "The board has been written, but kube-boot, which watches its serial line, could not be started.";
    RUN = "kube::run::failed", Failed,
        "The machine could not load the module or find the command; the reason it gave stands in the \
         error.";
    RUN_TIMEOUT = "kube::run::timeout", TimedOut,
        "The text of --exit-on was not said in time. Time is that of the machine, not of the wall.";
    DOCTOR = "kube::doctor", Failed,
        "Something on this computer keeps the tools from reaching the boards; the lines marked as \
         failures say what, and what helps.";
    DIFFERENT = "kube::different", Failed,
        "There are differences. This is the answer of diff and --dry-run and no fault.";
}
