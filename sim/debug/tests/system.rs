//! Whole systems under the debugger: ours with its position tables, and a genuine one without any.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_debug::commands::{Answer, Debugger};
use kube_debug::session::Session;
use kube_debug::tables::Tables;
use kube_disk::ImageBuilder;
use kube_emu::{Config, Machine, NoRadio, SdCard, loader};
use obc::project::{Outcome, Settings, build_project};
use obc::{NoSymbols, Options};

fn ask(debugger: &mut Debugger<NoRadio>, command: &str) -> String {
    match debugger.run(command) {
        Answer::Text(text) => text,
        other => panic!("{command}: {other:?}"),
    }
}

fn ours() -> Debugger<NoRadio> {
    let system = kube_modules::build().unwrap();
    let builder = ImageBuilder::new().boot_image(&system.boot_image).files(&system.objects);
    let card = SdCard::new(builder.build().unwrap().into_bytes()).unwrap();
    let machine = Machine::new(Config::ours(system.prom), Some(card), NoRadio::default());
    let sources = kube_modules::sources();
    let options = &Options::default();
    let settings = Settings { symbols: &NoSymbols, options, threads: 2, cache: None };
    let mut tables = Tables::default();
    for outcome in build_project(&sources, &settings).unwrap() {
        if let Outcome::Compiled(_, table) = outcome {
            let source = sources.iter().find(|s| s.name == table.source);
            tables.add(table, source.map(|s| s.text.as_str()));
        }
    }
    Debugger::new(Session::new(machine, tables))
}

#[test]
fn our_system_stops_in_modules_that_are_loaded_later() {
    let mut debugger = ours();
    let set = ask(&mut debugger, "break Oberon.Loop");
    assert!(set.contains("once its module is loaded"), "{set}");
    let stopped = ask(&mut debugger, "continue");
    assert!(stopped.starts_with("breakpoint 1: Oberon.Loop "), "{stopped}");
    assert!(stopped.contains("Oberon.Mod:") && stopped.contains(" | "), "{stopped}");
    let chain = ask(&mut debugger, "where");
    for part in ["in Oberon.Loop ", "called from Oberon.Start ", "called from Modules."] {
        assert!(chain.contains(part), "{part} in\n{chain}");
    }
    let modules = ask(&mut debugger, "modules");
    for name in ["Kernel", "FileDir", "Files", "Modules", "Texts", "Oberon"] {
        assert!(modules.contains(&format!(" {name} ")), "{name} in\n{modules}");
    }
    assert!(!modules.contains("no position table"), "{modules}");
}

#[test]
fn a_genuine_system_can_be_looked_into_without_tables() {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        println!("skipped: KUBE_GENUINE_IMAGE is not set");
        return;
    };
    let card = SdCard::new(std::fs::read(path).unwrap()).unwrap();
    let machine = Machine::new(Config::compat(loader::words()), Some(card), NoRadio::default());
    let mut debugger = Debugger::new(Session::new(machine, Tables::default()));
    ask(&mut debugger, "continue 2500");
    let modules = ask(&mut debugger, "modules");
    for name in ["Kernel", "Oberon", "System", "TextFrames"] {
        assert!(modules.contains(&format!(" {name} ")), "{name} in\n{modules}");
    }
    let chain = ask(&mut debugger, "where");
    assert!(chain.contains("called from Modules"), "{chain}");
}
