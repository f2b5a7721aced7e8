//! The system of a genuine Project Oberon image, compiled by our compiler.
//!
//! Only the sources of the image are read for it: no symbol file of the image reaches the compiler.

use kube_disk::{Image, ImageBuilder};
use obc::object::ObjectFile;
use obc::{Compiled, Options, Source, link, project};

use crate::MeasureError;
use crate::boot::{self, Boot};

/// Modules of the boot area.
pub const INNER_CORE: [&str; 4] = ["Kernel", "FileDir", "Files", "Modules"];

/// A module of the image: its files.
#[derive(Clone, Debug)]
pub struct Genuine {
    /// Module name.
    pub name: String,
    /// Source text.
    pub source: Source,
    /// Symbol file.
    pub symbol_file: Vec<u8>,
    /// Object file.
    pub object: ObjectFile,
}

/// Opens the image that `KUBE_GENUINE_IMAGE` names; `None` if it is not set.
///
/// # Errors
///
/// [`MeasureError::Read`], [`MeasureError::Disk`].
pub fn from_environment() -> Result<Option<Image>, MeasureError> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        return Ok(None);
    };
    let bytes = std::fs::read(&path)
        .map_err(|cause| MeasureError::Read { path: path.to_string_lossy().into_owned(), cause })?;
    Ok(Some(Image::open(bytes)?))
}

/// The modules of an image: everything with an object file.
///
/// # Errors
///
/// [`MeasureError::Disk`] if a source or symbol file is missing, [`MeasureError::Object`].
pub fn modules(image: &Image) -> Result<Vec<Genuine>, MeasureError> {
    let mut out = Vec::new();
    for file in image.list()? {
        let Some(name) = file.name.strip_suffix(".rsc") else {
            continue;
        };
        let object = ObjectFile::parse(&image.read(&file.name)?)
            .map_err(|cause| MeasureError::Object { module: name.to_string(), cause })?;
        let source = format!("{name}.Mod");
        let text = String::from_utf8_lossy(&image.read(&source)?).into_owned();
        out.push(Genuine {
            name: name.to_string(),
            source: Source::new(source, text),
            symbol_file: image.read(&format!("{name}.smb"))?,
            object,
        });
    }
    Ok(out)
}

/// Compiles all modules from their sources alone.
///
/// # Errors
///
/// [`MeasureError::Compile`].
pub fn compile(modules: &[Genuine]) -> Result<Vec<Compiled>, MeasureError> {
    compile_with(modules, &Options::default())
}

/// As [`compile`], with options for the code generator.
///
/// # Errors
///
/// [`MeasureError::Compile`].
pub fn compile_with(modules: &[Genuine], options: &Options) -> Result<Vec<Compiled>, MeasureError> {
    let sources: Vec<Source> = modules.iter().map(|m| m.source.clone()).collect();
    project::build_with(&sources, &obc::NoSymbols, options).map_err(MeasureError::Compile)
}

/// Names of the modules whose symbol file differs from the image's.
#[must_use]
pub fn differing_symbols(modules: &[Genuine], ours: &[Compiled]) -> Vec<String> {
    modules
        .iter()
        .filter(|m| !ours.iter().any(|c| c.module == m.name && c.symbol_file == m.symbol_file))
        .map(|m| m.name.clone())
        .collect()
}

/// Code bytes of object files.
pub fn code_bytes<'a>(objects: impl IntoIterator<Item = &'a ObjectFile>) -> u64 {
    objects.into_iter().map(|o| 4 * o.code.len() as u64).sum()
}

/// The image rebuilt: its own files, with these object and symbol files in place of its own, and
/// a boot area linked from them.
///
/// # Errors
///
/// [`MeasureError::Disk`], [`MeasureError::Link`].
pub fn rebuilt(image: &Image, ours: &[Compiled]) -> Result<Image, MeasureError> {
    let core: Vec<ObjectFile> = ours
        .iter()
        .filter(|c| INNER_CORE.contains(&c.module.as_str()))
        .map(|c| c.object.clone())
        .collect();
    let mut builder = ImageBuilder::new().boot_image(&link::boot_image(&core)?);
    for file in image.list()? {
        let module = file
            .name
            .rsplit_once('.')
            .and_then(|(name, kind)| Some((ours.iter().find(|c| c.module == name)?, kind)));
        let content = match module {
            Some((compiled, "rsc")) => compiled.object.to_bytes(),
            Some((compiled, "smb")) => compiled.symbol_file.clone(),
            _ => image.read(&file.name)?,
        };
        builder = builder.file(&file.name, &content);
    }
    Ok(builder.build()?)
}

/// The entry number of an exported object in a module's symbol file; `None` if there is none.
#[must_use]
pub fn entry_number(module: &Genuine, name: &str) -> Option<usize> {
    use obc::symbols::ImportedKind;
    let mut types = obc::types::Types::default();
    let mut modules = Vec::new();
    let index = obc::symbols::read(
        &module.name,
        &module.symbol_file,
        &mut types,
        &mut modules,
        &obc::NoSymbols,
    )
    .ok()?;
    let object = modules[index].objects.iter().find(|o| o.name == name)?;
    match object.kind {
        ImportedKind::Procedure(entry) | ImportedKind::Variable(entry) => Some(usize::from(entry)),
        _ => None,
    }
}

/// What one set of object files needs.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Code bytes of all modules.
    pub code_bytes: u64,
    /// The boot to the idle loop.
    pub boot: Boot,
}

/// The image's own object files beside ours.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Those of the image.
    pub genuine: Needs,
    /// Ours.
    pub ours: Needs,
}

impl Comparison {
    /// Our instructions to the idle loop as a part of the genuine ones.
    #[must_use]
    pub fn instructions_ratio(&self) -> f64 {
        self.ours.boot.instructions as f64 / self.genuine.boot.instructions as f64
    }

    /// Our code bytes as a part of the genuine ones.
    #[must_use]
    pub fn code_ratio(&self) -> f64 {
        self.ours.code_bytes as f64 / self.genuine.code_bytes as f64
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:<24} {:>12} {:>12} {:>7}", "", "genuine", "ours", "ratio")?;
        let rows = [
            ("instructions to idle", self.genuine.boot.instructions, self.ours.boot.instructions),
            ("cycles, card included", self.genuine.boot.cycles, self.ours.boot.cycles),
            ("code bytes", self.genuine.code_bytes, self.ours.code_bytes),
        ];
        for (name, genuine, ours) in rows {
            writeln!(
                f,
                "{name:<24} {genuine:>12} {ours:>12} {:>7.3}",
                ours as f64 / genuine as f64
            )?;
        }
        Ok(())
    }
}

/// Boots the image, and the image rebuilt with our object files, and counts.
///
/// # Errors
///
/// Those of [`rebuilt`] and [`boot::measure`].
pub fn compare(
    image: &Image,
    modules: &[Genuine],
    ours: &[Compiled],
) -> Result<Comparison, MeasureError> {
    const INPUT: &str = "Input";
    let missing = || MeasureError::Missing(INPUT);
    let input = modules.iter().find(|m| m.name == INPUT).ok_or_else(missing)?;
    let our_input = ours.iter().find(|c| c.module == INPUT).ok_or_else(missing)?;
    let mouse = entry_number(input, "Mouse").ok_or_else(missing)?;
    let rebuilt = rebuilt(image, ours)?;
    Ok(Comparison {
        genuine: Needs {
            code_bytes: code_bytes(modules.iter().map(|m| &m.object)),
            boot: boot::measure(image.bytes(), &input.object, mouse)?,
        },
        ours: Needs {
            code_bytes: code_bytes(ours.iter().map(|c| &c.object)),
            boot: boot::measure(rebuilt.bytes(), &our_input.object, mouse)?,
        },
    })
}
