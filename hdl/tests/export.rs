//! The committed Verilog is what the sources export.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use kube_hdl::export::{Top, export};

#[test]
fn committed_verilog_is_fresh() -> Result<(), Box<dyn Error>> {
    for top in Top::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("verilog").join(top.name());
        let mut committed = BTreeMap::new();
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            committed.insert(name, std::fs::read_to_string(&path)?);
        }
        let fresh: BTreeMap<String, String> =
            export(top)?.into_iter().map(|file| (file.name, file.text)).collect();
        let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
        let again =
            format!("run: cargo run -p kube-hdl -- export --top {}", top.name().replace('_', "-"));
        assert_eq!(names(&committed), names(&fresh), "{again}");
        for (name, text) in &fresh {
            assert!(committed[name] == *text, "{}/{name} is stale; {again}", top.name());
        }
    }
    Ok(())
}
