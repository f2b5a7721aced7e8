//! The disk image of one machine: boot area, the object files, its start commands, the numbers of
//! its sessions, and on a plane its empty store.

use kube_disk::{DiskError, Image, ImageBuilder, Layout};
use kube_modules::{
    KEYS, KEYS_FILE, NUMBERS_FILE, STARTS_FILE, STORE_BYTES, STORE_FILES, System, numbers_file,
};

use crate::fleet::{MachineSpec, OPERATOR, Role};

/// File on the disk that holds the start commands.
pub const BOOT_COMMANDS: &str = "Boot.Cmd";

/// The module name of a pod that may be given as the path of its source.
#[must_use]
pub fn pod_module(pod: &str) -> &str {
    let name = pod.rsplit('/').next().unwrap_or(pod);
    name.strip_suffix(".Mod").unwrap_or(name)
}

/// Makes the image of a machine; the same system and machine give the same bytes. Files named in
/// `without` are left off, as on a card that was made badly.
///
/// # Errors
/// If the files do not fit the disk.
pub fn machine_image(
    system: &System,
    machine: &MachineSpec,
    without: &[&str],
) -> Result<Vec<u8>, DiskError> {
    Ok(builder(system, machine, without).build()?.into_bytes())
}

/// As [`machine_image`], for a whole card: the file system lies 256 MiB from its start.
///
/// # Errors
/// If the files do not fit the disk.
pub fn card_image(system: &System, machine: &MachineSpec) -> Result<Vec<u8>, DiskError> {
    Ok(builder(system, machine, &[]).layout(Layout::FullCard).build()?.into_bytes())
}

/// Adds Kube to a genuine Project Oberon disk: `files` are those of
/// [`kube_modules::genuine::build`]. The machine runs its commands at start, as ours do.
///
/// # Errors
/// If the files do not fit the disk, or it is damaged.
pub fn genuine_image(
    mut image: Image,
    files: &[(String, Vec<u8>)],
    machine: &MachineSpec,
) -> Result<Vec<u8>, DiskError> {
    for (name, bytes) in files {
        image.replace(name, bytes)?;
    }
    if machine.role == Role::Plane {
        for name in STORE_FILES {
            image.replace(name, &[0; STORE_BYTES])?;
        }
    }
    image.replace(NUMBERS_FILE, &numbers_file(machine.numbers))?;
    image.replace(KEYS_FILE, &KEYS)?;
    // That system has no console to take them.
    let mut machine = machine.clone();
    machine.commands.retain(|command| !command.starts_with(OPERATOR));
    image.replace(BOOT_COMMANDS, commands(&machine).as_bytes())?;
    Ok(image.into_bytes())
}

fn commands(machine: &MachineSpec) -> String {
    machine.commands.join("\n") + "\n"
}

/// The object files that belong on the image of a machine: all but the pods that it does not have.
pub fn objects<'a>(
    system: &'a System,
    machine: &'a MachineSpec,
) -> impl Iterator<Item = &'a (String, Vec<u8>)> {
    let left_out = |file: &str| {
        let pod = file.strip_suffix(".rsc").unwrap_or(file);
        let unlisted = machine.pods.as_ref().is_some_and(|pods| !pods.iter().any(|p| p == pod));
        unlisted && system.pods.iter().any(|known| known == pod)
    };
    system.objects.iter().filter(move |(name, _)| !left_out(name))
}

fn builder(system: &System, machine: &MachineSpec, without: &[&str]) -> ImageBuilder {
    let files = objects(system, machine).filter(|(name, _)| !without.contains(&name.as_str()));
    let mut builder = ImageBuilder::new().boot_image(&system.boot_image).files(files);
    if machine.role == Role::Plane {
        let names = STORE_FILES.iter();
        builder = names.fold(builder, |builder, name| builder.file(name, &[0; STORE_BYTES]));
    }
    builder = builder.file(NUMBERS_FILE, &numbers_file(machine.numbers));
    builder = builder.file(STARTS_FILE, &numbers_file(0));
    builder = builder.file(KEYS_FILE, &KEYS);
    builder.file(BOOT_COMMANDS, commands(machine).as_bytes())
}
