//! The tables of a fleet file as they are written, each value with its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use kube_proto::key::{Key, Tag};
use serde::Deserialize;
use toml::Spanned;

use super::{FleetFileError, nearest};
use crate::diagnostic::Diagnostic;
use crate::fleet::{Board, Card, Hardware, KeyText, Keys, Radio, Role};
use crate::image::pod_module;
use crate::model;

/// Longest start command: `LineSize` of `Boot.Mod` less its end.
const COMMAND_CHARS: usize = 255;
/// Longest name of a node: its field in the messages.
const NODE_CHARS: usize = 6;
/// Highest channel below the end of the band at 2483.5 MHz.
const CHANNEL_IN_BAND: i64 = 83;

/// A file in memory.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) path: PathBuf,
    source: String,
}

impl Text {
    pub(super) fn read(path: &Path) -> Result<Self, FleetFileError> {
        let failed = |source| FleetFileError::Read { path: path.to_owned(), source };
        let source = std::fs::read_to_string(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), source })
    }

    pub(super) fn parse(&self) -> Result<RawFile, FleetFileError> {
        toml::from_str(&self.source).map_err(|error| {
            let help = "boards/fleet.toml of the project shows every key".to_owned();
            self.error(error.span().unwrap_or(0..0), error.message().to_owned(), help)
        })
    }

    pub(super) fn error(&self, at: Range<usize>, message: String, help: String) -> FleetFileError {
        FleetFileError::Place(Box::new(Diagnostic::new(
            &self.path,
            &self.source,
            at,
            message,
            help,
        )))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub(super) tool: Option<RawTool>,
    pub(super) cluster: Option<RawCluster>,
    pub(super) radio: Option<RawRadio>,
    #[serde(default)]
    pub(super) boards: BTreeMap<Spanned<String>, RawBoard>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTool {
    pub(super) board: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCluster {
    name: Option<Spanned<String>>,
    key: Option<Spanned<String>>,
    key_file: Option<Spanned<PathBuf>>,
    operator_key: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "keys")]
    pub(super) keys: Option<Keys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawRadio {
    channel: Option<Spanned<i64>>,
    rate: Option<Spanned<String>>,
    address: Option<Spanned<String>>,
    #[serde(default)]
    outside_band: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBoard {
    model: Option<Spanned<String>>,
    revision: Option<Spanned<String>>,
    role: Option<Role>,
    start: Option<Vec<Spanned<String>>>,
    pods: Option<Vec<Spanned<String>>>,
    sd: Option<Spanned<RawCard>>,
    uart: Option<String>,
    jtag: Option<String>,
    bitstream: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCard {
    path: Option<PathBuf>,
    serial: Option<String>,
}

/// The words of [`Keys::ALL`].
fn keys<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Keys>, D::Error> {
    let word = String::deserialize(from)?;
    let found = Keys::ALL.into_iter().find(|entry| entry.1 == word);
    let known = || Keys::ALL.map(|entry| format!("`{}`", entry.1)).join(" or ");
    let refused =
        || serde::de::Error::custom(format!("unknown keys `{word}`, expected {}", known()));
    found.map(|entry| Some(entry.0)).ok_or_else(refused)
}

impl RawFile {
    /// Puts the values of the local file in place of those of the main one. The local file's places
    /// mean nothing in the main one, so its values are checked here.
    pub(super) fn overlay(
        &mut self,
        over: Self,
        main: &Text,
        local: &Text,
    ) -> Result<(), FleetFileError> {
        if let (Some(cluster), Some(over)) = (&mut self.cluster, over.cluster) {
            if over.name.is_some() {
                cluster.name = Some(Spanned::new(0..0, over.name(local)?));
            }
            if over.key.is_some() || over.key_file.is_some() {
                cluster.key = Some(Spanned::new(0..0, over.key(local)?));
                cluster.key_file = None;
            }
            if over.operator_key.is_some() {
                over.operator(local, "")?;
                let key = over.operator_key.as_ref().map(|key| key.as_ref().clone());
                cluster.operator_key = key.map(|key| Spanned::new(0..0, key));
            }
            cluster.keys = over.keys.or(cluster.keys);
        }
        if let Some(radio) = over.radio {
            radio.read(local)?;
            self.radio = Some(radio);
        }
        for (name, board) in over.boards {
            let Some((_, base)) = self.boards.iter_mut().find(|(n, _)| n.as_ref() == name.as_ref())
            else {
                let known: Vec<_> = self.boards.keys().map(|name| name.as_ref().as_str()).collect();
                let hint = nearest(name.as_ref(), known.iter().copied())
                    .map_or(String::new(), |near| format!("did you mean {near}? "));
                let help = format!("{hint}{} has {}", main.path.display(), known.join(", "));
                return Err(local.error(
                    name.span(),
                    format!("there is no board {:?} to add to", name.as_ref()),
                    help,
                ));
            };
            let checked = RawBoard { role: board.role.or(base.role), ..board };
            checked.read(&name, local)?;
            base.overlay(checked, local);
        }
        Ok(())
    }
}

impl RawCluster {
    pub(super) fn name(&self, text: &Text) -> Result<String, FleetFileError> {
        let Some(name) = &self.name else {
            let help = "name = \"kube\" in [cluster]".to_owned();
            return Err(text.error(0..0, "the cluster has no name".to_owned(), help));
        };
        let plain = name.as_ref().bytes().all(|byte| byte.is_ascii_graphic() && byte != b';');
        match Tag::of(name.as_ref()) {
            Ok(_) if plain => Ok(name.as_ref().clone()),
            Ok(_) => {
                let message = "a cluster name has no blanks, semicolons or foreign letters";
                Err(text.error(name.span(), message.to_owned(), "choose another".to_owned()))
            }
            Err(error) => {
                Err(text.error(name.span(), error.to_string(), "choose another name".to_owned()))
            }
        }
    }

    pub(super) fn key(&self, text: &Text) -> Result<String, FleetFileError> {
        let wrong = |at, message: String| {
            Err(text.error(
                at,
                message,
                "up to 16 hexadecimal digits, as kube-flash init makes them".to_owned(),
            ))
        };
        match (&self.key, &self.key_file) {
            (Some(key), None) => match Key::parse(key.as_ref()) {
                Ok(_) => Ok(key.as_ref().clone()),
                Err(error) => wrong(key.span(), error.to_string()),
            },
            (None, Some(file)) => {
                let key = read_key(&text.folder().join(file.as_ref()))?;
                match Key::parse(&key) {
                    Ok(_) => Ok(key),
                    Err(error) => wrong(file.span(), format!("in that file: {error}")),
                }
            }
            (Some(_), Some(file)) => {
                wrong(file.span(), "the key is given twice, here and as key".to_owned())
            }
            (None, None) => wrong(0..0, "the cluster has no key".to_owned()),
        }
    }
}

impl RawCluster {
    /// The operator's key, if there is one; it may not be the cluster's.
    pub(super) fn operator(
        &self,
        text: &Text,
        cluster: &str,
    ) -> Result<Option<KeyText>, FleetFileError> {
        let Some(given) = &self.operator_key else { return Ok(None) };
        let wrong = |message: String| {
            let help = "16 hexadecimal digits that nobody else has, or leave operator-key out";
            Err(text.error(given.span(), message, help.to_owned()))
        };
        match KeyText::new(given.as_ref()) {
            Err(error) => wrong(error.to_string()),
            Ok(key) if key.key() == Key::default() => wrong("a key of zeros is none".to_owned()),
            Ok(key) if Key::parse(cluster) == Ok(key.key()) => wrong(
                "the operator has the cluster's key: each machine could give orders".to_owned(),
            ),
            Ok(key) => Ok(Some(key)),
        }
    }
}

/// A key file holds the digits and nothing else; only its owner may read it.
fn read_key(path: &Path) -> Result<String, FleetFileError> {
    let failed = |source| FleetFileError::Read { path: path.to_owned(), source };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(failed)?.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(FleetFileError::KeyMode { path: path.to_owned(), mode });
        }
    }
    Ok(std::fs::read_to_string(path).map_err(failed)?.trim().to_owned())
}

impl RawRadio {
    pub(super) fn read(&self, text: &Text) -> Result<Radio, FleetFileError> {
        let mut radio = Radio::default();
        if let Some(channel) = &self.channel {
            let (at, number) = (channel.span(), *channel.as_ref());
            radio.channel = match u8::try_from(number) {
                Ok(channel) if channel <= 125 => channel,
                _ => {
                    let message = format!("there is no channel {number}");
                    return Err(text.error(at, message, "the chip has 0 to 125".to_owned()));
                }
            };
            if number > CHANNEL_IN_BAND && !self.outside_band {
                let message =
                    format!("channel {number} lies above 2483.5 MHz, outside of the band");
                let help = "use 5, 15, 25 ... 75, or add outside-band = true where it is allowed";
                return Err(text.error(at, message, help.to_owned()));
            }
        }
        if let Some(rate) = &self.rate {
            radio.mbit = match rate.as_ref().as_str() {
                "1M" => 1,
                "2M" => 2,
                other => {
                    let message = format!("{other:?} is no rate of the fleet's radios");
                    return Err(text.error(rate.span(), message, "\"1M\" or \"2M\"".to_owned()));
                }
            };
        }
        if let Some(address) = &self.address {
            let digits = address.as_ref();
            let number = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 10);
            let Some(number) = number else {
                let help = "ten hexadecimal digits, as in \"E7E7E7E7E7\"".to_owned();
                let message = format!("{digits:?} is no address of five bytes");
                return Err(text.error(address.span(), message, help));
            };
            let [_, _, _, bytes @ ..] = number.to_be_bytes();
            radio.address = bytes;
        }
        Ok(radio)
    }
}

impl RawBoard {
    fn overlay(&mut self, over: Self, local: &Text) {
        let moved = |values: Vec<Spanned<String>>| -> Vec<Spanned<String>> {
            values.into_iter().map(|value| Spanned::new(0..0, value.into_inner())).collect()
        };
        let moved_value = |value: Spanned<String>| Spanned::new(0..0, value.into_inner());
        self.model = over.model.map(moved_value).or(self.model.take());
        self.revision = over.revision.map(moved_value).or(self.revision.take());
        self.role = over.role.or(self.role);
        self.start = over.start.map(moved).or(self.start.take());
        self.pods = over.pods.map(moved).or(self.pods.take());
        self.sd = over.sd.or(self.sd.take());
        self.uart = over.uart.or(self.uart.take());
        self.jtag = over.jtag.or(self.jtag.take());
        self.bitstream =
            over.bitstream.map(|path| local.folder().join(path)).or(self.bitstream.take());
    }

    pub(super) fn read(
        &self,
        name: &Spanned<String>,
        text: &Text,
    ) -> Result<Board, FleetFileError> {
        let wrong = |at: Range<usize>, message: String, help: &str| {
            Err(text.error(at, message, help.to_owned()))
        };
        let Some(role) = self.role else {
            let message = format!("board {} has no role", name.as_ref());
            return wrong(name.span(), message, "role = \"plane\" or role = \"node\"");
        };
        let letters = name.as_ref();
        let longest = if role == Role::Node { NODE_CHARS } else { 16 };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if !(1..=longest).contains(&letters.len()) || !letters.bytes().all(plain) {
            let message = format!("{letters:?} cannot be the name of a {role}");
            let help = format!("1 to {longest} letters, digits, dots and hyphens");
            return wrong(name.span(), message, &help);
        }
        let mut board = Board::new(letters, role);
        for command in self.start.iter().flatten() {
            let line = command.as_ref();
            let plain = line.chars().all(|ch| !ch.is_control() && ch != ';');
            let shaped = line.split_once('.').is_some_and(|(module, _)| {
                !module.is_empty() && module.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
            if !plain || !shaped || line.len() > COMMAND_CHARS {
                let help = "one Module.Command with its parameters, at most 255 characters";
                return wrong(command.span(), "this is no start command".to_owned(), help);
            }
            board.start.push(line.clone());
        }
        board.pods = match &self.pods {
            Some(pods) => {
                Some(pods.iter().map(|pod| read_pod(pod, text)).collect::<Result<_, _>>()?)
            }
            None => None,
        };
        board.hardware = self.hardware(text)?;
        Ok(board)
    }

    fn hardware(&self, text: &Text) -> Result<Hardware, FleetFileError> {
        if let Some(model) = &self.model
            && model::find(model.as_ref()).is_none()
        {
            let known = model::names();
            let hint = nearest(model.as_ref(), known.iter().map(String::as_str))
                .map_or(String::new(), |near| format!("did you mean {near}? "));
            let help = format!("{hint}models: {}", known.join(", "));
            let message = format!("there is no model {:?}", model.as_ref());
            return Err(text.error(model.span(), message, help));
        }
        self.known_revision(text)?;
        let sd = match &self.sd {
            None => None,
            Some(card) => match (&card.as_ref().path, &card.as_ref().serial) {
                (Some(path), None) => Some(Card::Path(path.clone())),
                (None, Some(serial)) => Some(Card::Serial(serial.clone())),
                _ => {
                    let help = "sd = { path = \"/dev/disk/by-path/...\" } or { serial = \"...\" }";
                    let message = "a card has a path or a serial number".to_owned();
                    return Err(text.error(card.span(), message, help.to_owned()));
                }
            },
        };
        Ok(Hardware {
            model: self.model.as_ref().map(|model| model.as_ref().clone()),
            revision: self.revision.as_ref().map(|revision| revision.as_ref().clone()),
            sd,
            uart: self.uart.clone(),
            jtag: self.jtag.clone(),
            bitstream: self.bitstream.as_ref().map(|path| text.folder().join(path)),
        })
    }
}

impl RawBoard {
    /// A revision is one of the model's, or of any where the model stands in the other file.
    fn known_revision(&self, text: &Text) -> Result<(), FleetFileError> {
        let Some(revision) = &self.revision else { return Ok(()) };
        let named = self.model.as_ref().and_then(|model| model::find(model.as_ref()));
        let families = named.map_or_else(model::families, |(family, _)| vec![family]);
        let known: Vec<&String> = families.iter().flat_map(|family| &family.revisions).collect();
        if known.contains(&revision.as_ref()) {
            return Ok(());
        }
        let words: Vec<_> = known.iter().map(|known| known.as_str()).collect();
        let message = format!("there is no revision {:?}", revision.as_ref());
        let help = format!("revisions: {}; it stands on the board", words.join(", "));
        Err(text.error(revision.span(), message, help))
    }
}

/// The name of a pod of the project, or the whole path of a source.
fn read_pod(pod: &Spanned<String>, text: &Text) -> Result<String, FleetFileError> {
    let name = pod.as_ref();
    if name.ends_with(".Mod") {
        let path = text.folder().join(name);
        if path.is_file() && !pod_module(name).is_empty() {
            return Ok(path.to_string_lossy().into_owned());
        }
        let help = "the path counts from the folder of this file".to_owned();
        return Err(text.error(pod.span(), format!("there is no file {}", path.display()), help));
    }
    let known = kube_modules::pods();
    if known.iter().any(|pod| pod == name) {
        return Ok(name.clone());
    }
    let hint = nearest(name, known.iter().map(String::as_str))
        .map_or(String::new(), |near| format!("did you mean {near}? "));
    let help = format!("{hint}pods: {}; or the path of a .Mod file", known.join(", "));
    Err(text.error(pod.span(), format!("there is no pod {name:?}"), help))
}
