//! Which disks are never written.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::codes;
use crate::failure::{Failure, Outcome};
use crate::host::{Disk, size};

/// Larger disks are no cards for boards.
pub const LARGEST_CARD_BYTES: u64 = 64 << 30;

/// Refuses a disk that is no card, or whose content somebody needs. `insist` lets fixed and large
/// disks through, nothing else.
///
/// # Errors
/// `kube::card::…`.
pub fn check(disk: &Disk, insist: bool, needed_bytes: u64) -> Outcome {
    let path = disk.path.display();
    let refuse = |code, why: String, help: String| {
        Err(Failure::new(code, format!("{path} is not written: {}, {}", disk.title(), disk.size()))
            .cause(why)
            .help(help))
    };
    let system = |mount: &&String| {
        let mount = mount.as_str();
        ["/", "swap", "/usr", "/var", "/home"].contains(&mount) || mount.starts_with("/boot")
    };
    if let Some(mount) = disk.mounts.iter().find(system) {
        let help = "kube-flash list shows the cards".to_owned();
        return refuse(&codes::CARD_SYSTEM, format!("it holds {mount} of this computer"), help);
    }
    if let Some(mount) = disk.mounts.first() {
        let help = format!("umount {mount}");
        return refuse(&codes::CARD_MOUNTED, format!("it is mounted at {mount}"), help);
    }
    if let Some(holder) = disk.holders.first() {
        let help = "kube-flash list shows the cards".to_owned();
        return refuse(&codes::CARD_MEMBER, format!("it is a part of volume {holder}"), help);
    }
    let override_flag = "if it is the card meant, --i-know-that-this-disk-is-no-card".to_owned();
    let card = disk.removable || disk.sd || disk.backing.is_some();
    if !card && !insist {
        return refuse(&codes::CARD_FIXED, "it is not removable".to_owned(), override_flag);
    }
    if disk.bytes > LARGEST_CARD_BYTES && !insist {
        let why = format!("it is larger than {}", size(LARGEST_CARD_BYTES));
        return refuse(&codes::CARD_LARGE, why, override_flag);
    }
    if disk.bytes < needed_bytes {
        let why = format!("the image ends at {} of a card", size(needed_bytes));
        return refuse(&codes::CARD_SMALL, why, "use a larger card".to_owned());
    }
    if disk.read_only {
        let help = "move the slider on the side of the card".to_owned();
        return refuse(&codes::CARD_READ_ONLY, "it is write-protected".to_owned(), help);
    }
    Ok(())
}

/// Refuses a disk whose first blocks say that it belongs to a volume group or a RAID, also where
/// nothing has put the volume together.
///
/// # Errors
/// `kube::card::member`; one that cannot be read is left to whoever reads it next.
pub fn check_signatures(disk: &Disk, file: &File) -> Outcome {
    let mut start = vec![0; 8192];
    let filled = file.read_at(&mut start, 0).unwrap_or(0);
    start.truncate(filled);
    // LVM2 labels stand in one of the first four blocks, a RAID superblock of version 1.1 at the
    // start and of version 1.2 4096 bytes from it, LUKS at the start.
    let lvm = start.chunks(512).take(4).any(|block| block.starts_with(b"LABELONE"));
    let raid = [0, 4096].iter().any(|at| {
        start.get(*at..*at + 4).is_some_and(|magic| magic == 0xA92B_4EFC_u32.to_le_bytes())
    });
    let luks = start.starts_with(b"LUKS\xBA\xBE");
    let found = [(lvm, "an LVM volume group"), (raid, "a RAID"), (luks, "an encrypted volume")];
    match found.iter().find(|(there, _)| *there) {
        None => Ok(()),
        Some((_, what)) => Err(Failure::new(
            &codes::CARD_MEMBER,
            format!("{} is not written: {}, {}", disk.path.display(), disk.title(), disk.size()),
        )
        .cause(format!("its first blocks are those of {what}"))
        .help(format!("if nothing on it is needed: wipefs --all {}", disk.path.display()))),
    }
}
