//! A capture interface for Wireshark: programs in its extcap folder are asked for their interfaces and
//! started with a pipe to write to. Source: the `extcap` manual page of Wireshark.

use super::codes;
use super::flags::time;
use super::hearing::Capture;
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::interrupt::Hold;
use crate::program::Session;
use clap::{Args, Subcommand};
use kube_proto::capture::LINK_TYPE;
use kube_proto::datagram::RELAY_PORT;
use kube_proto::key::Keys;
use kube_sniff::decoder::Decoder;
use kube_sniff::dissector;
use kube_sniff::keyring::Keyring;
use kube_sniff::source::usb::Tuning;
use kube_sniff::source::{self, Event, Place, default_socket};
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What can be done.
#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Put this program and the dissector where Wireshark looks for them.
    Install(Install),
    /// Take them away again.
    Remove(Install),
    /// Answer Wireshark; what `install` puts into its folder calls this.
    Run(Run),
}

/// Where Wireshark looks.
#[derive(Args, Debug)]
pub struct Install {
    /// Folder of capture programs; without it the one that tshark or Wireshark names.
    #[arg(long, value_name = "FOLDER")]
    extcap_folder: Option<PathBuf>,
    /// Folder of Lua plugins; without it the one that tshark or Wireshark names.
    #[arg(long, value_name = "FOLDER")]
    plugin_folder: Option<PathBuf>,
}

/// What Wireshark asks.
#[derive(Args, Debug)]
pub struct Run {
    #[arg(long)]
    extcap_interfaces: bool,
    #[arg(long, value_name = "NAME")]
    extcap_interface: Option<String>,
    #[arg(long)]
    extcap_dlts: bool,
    #[arg(long)]
    extcap_config: bool,
    #[arg(long, value_name = "VERSION")]
    extcap_version: Option<String>,
    #[arg(long, value_name = "FILTER")]
    extcap_capture_filter: Option<String>,
    #[arg(long)]
    capture: bool,
    #[arg(long, value_name = "FILE")]
    fifo: Option<PathBuf>,
    /// The relay.
    #[arg(long, value_name = "HOST[:PORT]")]
    relay: Option<String>,
    /// The lab's socket.
    #[arg(long, value_name = "FILE")]
    socket: Option<PathBuf>,
    /// End after that time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    duration: Option<u64>,
}

/// The name under which Wireshark sees the program.
const PROGRAM: &str = "kube-sniff";
const UDP: &str = "kube-udp";
const SIM: &str = "kube-sim";

/// Does it.
///
/// # Errors
/// `kube::wireshark::…`, `kube::io`, and those of a source.
pub fn run(session: &Session, verb: &Verb) -> Outcome {
    match verb {
        Verb::Install(flags) => install(session, flags),
        Verb::Remove(flags) => remove(session, flags),
        Verb::Run(flags) => answer(session, flags),
    }
}

/// Both files, in the order in which they are made.
fn files(flags: &Install) -> Outcome<[PathBuf; 2]> {
    let missing = |what: &str, flag: &str| {
        Failure::new(&codes::WIRESHARK_FOLDER, format!("cannot find Wireshark's folder of {what}"))
            .cause("neither tshark nor Wireshark says where it is")
            .help(format!("{flag} FOLDER names it"))
    };
    let folders = folders();
    let named =
        |name: &str| folders.iter().find(|(known, _)| known == name).map(|(_, at)| at.clone());
    // Up to 4.0 it looks in its folder of settings and does not say so.
    let program = flags.extcap_folder.clone().or_else(|| named("Personal Extcap path"));
    let program = program.or_else(|| Some(named("Personal configuration")?.join("extcap")));
    let plugin = flags.plugin_folder.clone().or_else(|| named("Personal Lua Plugins"));
    let plugin = plugin.or_else(|| named("Personal Plugins"));
    Ok([
        program.ok_or_else(|| missing("capture programs", "--extcap-folder"))?.join(PROGRAM),
        plugin.ok_or_else(|| missing("Lua plugins", "--plugin-folder"))?.join(dissector::FILE),
    ])
}

/// Folders by the names that tshark or Wireshark gives them.
fn folders() -> Vec<(String, PathBuf)> {
    let ask = |program: &str| {
        let output = std::process::Command::new(program).args(["-G", "folders"]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = |line: &str| {
            let (name, at) = line.split_once(':')?;
            Some((name.to_owned(), PathBuf::from(at.trim())))
        };
        Some(text.lines().filter_map(line).collect())
    };
    ask("tshark").or_else(|| ask("wireshark")).unwrap_or_default()
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(&code::IO, format!("{} cannot be changed", path.display()))
        .cause(error)
        .help("choose folders that you may write with --extcap-folder and --plugin-folder")
}

fn install(session: &Session, flags: &Install) -> Outcome {
    let [program, plugin] = files(flags)?;
    let this = std::env::current_exe().map_err(|error| refused(&program, &error))?;
    // In single quotes a shell reads everything as it is but the quote.
    let this = this.to_string_lossy().replace('\'', "'\\''");
    let script = format!("#!/bin/sh\nexec '{this}' extcap run \"$@\"\n");
    let lua = dissector::lua(env!("CARGO_PKG_VERSION"));
    for (path, text, mode) in [(&program, &script, 0o755), (&plugin, &lua, 0o644)] {
        let shown = path.display();
        if std::fs::read_to_string(path).is_ok_and(|old| old == *text) {
            session.talk.say(format!("Same    {shown}"));
        } else if session.flags.dry_run {
            session.talk.say(format!("Would write {shown}, {} bytes", text.len()));
        } else {
            put(path, text, mode).map_err(|error| refused(path, &error))?;
            session.talk.say(format!("Write   {shown}, done"));
        }
    }
    Ok(())
}

fn put(path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

fn remove(session: &Session, flags: &Install) -> Outcome {
    for path in files(flags)? {
        let shown = path.display();
        if !path.exists() {
            session.talk.say(format!("Absent  {shown}"));
        } else if session.flags.dry_run {
            session.talk.say(format!("Would remove {shown}"));
        } else {
            std::fs::remove_file(&path).map_err(|error| refused(&path, &error))?;
            session.talk.say(format!("Remove  {shown}, done"));
        }
    }
    Ok(())
}

/// Braces and backslashes end or hide a value.
fn value(text: &str) -> String {
    text.replace('\\', "\\\\").replace('}', "\\}")
}

fn answer(session: &Session, flags: &Run) -> Outcome {
    let mut text = String::new();
    if flags.extcap_interfaces {
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(text, "extcap {{version={version}}}{{display=Kubestation}}");
        let _ =
            writeln!(text, "interface {{value={UDP}}}{{display=Kubestation: a relay over UDP}}");
        let _ = writeln!(text, "interface {{value={SIM}}}{{display=Kubestation: a running lab}}");
        return session.output.bytes(text.as_bytes());
    }
    let interface = flags.extcap_interface.as_deref().unwrap_or_default();
    if ![UDP, SIM].contains(&interface) {
        let headline = format!("there is no interface {interface:?}");
        let failure = Failure::new(&codes::WIRESHARK_ASK, headline);
        return Err(failure.help(format!("there are {UDP} and {SIM}")));
    }
    if flags.extcap_dlts {
        let user = LINK_TYPE - 147;
        let _ = writeln!(
            text,
            "dlt {{number={LINK_TYPE}}}{{name=USER{user}}}{{display=Kubestation radio frame}}"
        );
        return session.output.bytes(text.as_bytes());
    }
    if flags.extcap_config {
        let _ = if interface == UDP {
            writeln!(
                text,
                "arg {{number=0}}{{call=--relay}}{{display=Relay}}{{type=string}}\
                 {{default=127.0.0.1:{RELAY_PORT}}}{{tooltip=Host and port of kube-air relay}}"
            )
        } else {
            writeln!(
                text,
                "arg {{number=0}}{{call=--socket}}{{display=Socket}}{{type=string}}\
                 {{default={}}}{{tooltip=Of a lab that was started with --attach}}",
                value(&default_socket().to_string_lossy())
            )
        };
        return session.output.bytes(text.as_bytes());
    }
    match (&flags.fifo, flags.capture) {
        (Some(fifo), true) => capture(flags, interface, fifo),
        _ => Err(Failure::new(&codes::WIRESHARK_ASK, "nothing is asked")
            .help("give --extcap-interfaces, --extcap-dlts, --extcap-config or --capture --fifo")),
    }
}

/// Writes to Wireshark's pipe until it or Wireshark has enough.
fn capture(flags: &Run, interface: &str, fifo: &Path) -> Outcome {
    let place = match (interface, &flags.relay) {
        (UDP, Some(relay)) => format!("udp:{relay}").parse()?,
        (UDP, None) => Place::relay_here(),
        _ => Place::Sim(flags.socket.clone().unwrap_or_else(default_socket)),
    };
    let hold = Hold::new();
    let mut source = source::open(&place, None, Tuning::default())?;
    let mut capture = Capture::new(fifo)?;
    let mut decoder = Decoder::new(Keyring::new(None, None, Keys::Shared));
    let begun = std::time::Instant::now();
    let limit = flags.duration.map(Duration::from_nanos);
    while hold.check().is_ok() && limit.is_none_or(|limit| begun.elapsed() < limit) {
        match source.next(Duration::from_millis(100))? {
            Event::Frame { at_ns, interface, frame } => {
                capture.write(&decoder.decode(at_ns, &interface, &frame), true)?;
            }
            Event::End => break,
            _ => {}
        }
    }
    capture.finish()
}
