//! The disk image of one machine: boot area, the object files, its start commands, and on a plane
//! its empty store.

use kube_disk::ImageBuilder;
use kube_modules::{STORE_BYTES, STORE_FILES, System};

use crate::fleet::{MachineSpec, Role};

/// File on the disk that holds the start commands.
pub const BOOT_COMMANDS: &str = "Boot.Cmd";

/// Makes the image of a machine. Files named in `without` are left off, as on a card that was
/// made badly.
///
/// # Errors
/// If the files do not fit the disk.
pub fn machine_image(
    system: &System,
    machine: &MachineSpec,
    without: &[&str],
) -> Result<Vec<u8>, kube_disk::DiskError> {
    let mut builder = ImageBuilder::new().boot_image(&system.boot_image);
    for (name, bytes) in &system.objects {
        if !without.contains(&name.as_str()) {
            builder = builder.file(name, bytes);
        }
    }
    if machine.role == Role::Plane {
        let names = STORE_FILES.iter();
        builder = names.fold(builder, |builder, name| builder.file(name, &[0; STORE_BYTES]));
    }
    let commands = machine.commands.join("\n") + "\n";
    Ok(builder.file(BOOT_COMMANDS, commands.as_bytes()).build()?.into_bytes())
}
