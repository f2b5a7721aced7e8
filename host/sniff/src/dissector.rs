//! The Lua dissector for Wireshark, made from the tables of `kube-proto`: what stands there is
//! dissected, and nothing else knows it.

use crate::oberon_net;
use kube_proto::capture::{FIELDS, Flags, LINK_TYPE};
use kube_proto::layout::{Field, Kind, MESSAGES, Width};
use kube_proto::message::REASONS;
use kube_proto::packet::FRAME_BYTES;
use std::fmt::Write;

/// Name of the file.
pub const FILE: &str = "kubestation.lua";

/// The dissector as text. `version` is that of the program.
#[must_use]
pub fn lua(version: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "-- Kubestation on the air, for Wireshark. Made by kube-sniff {version} from the tables that its\n\
         -- decoder uses: run `kube-sniff dissector` again and do not edit it.\n\
         \n\
         local kube = Proto(\"kube\", \"Kubestation radio frame\")\n\
         local f = {{}}\n\n"
    );
    header_fields(&mut out);
    frame_fields(&mut out);
    message_fields(&mut out);
    out.push_str("for _, field in pairs(f) do table.insert(kube.fields, field) end\n\n");
    tables(&mut out);
    out.push_str(BODY);
    let user = LINK_TYPE - 147;
    let _ = write!(out, "\nDissectorTable.get(\"wtap_encap\"):add(wtap.USER{user}, kube)\n");
    out
}

/// A name as filters take it.
fn word(name: &str) -> String {
    name.replace([' ', '-'], "_").to_lowercase()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn field(out: &mut String, key: &str, make: &str, title: &str, more: &str) {
    let filter = quoted(&format!("kube.{key}"));
    let _ = writeln!(out, "f[\"{key}\"] = ProtoField.{make}({filter}, {}{more})", quoted(title));
}

fn header_fields(out: &mut String) {
    out.push_str("-- What the captor knows.\n");
    for entry in FIELDS {
        let make = match (entry.name, entry.bytes) {
            ("level", _) => "int8",
            (_, 1) => "uint8",
            _ => "uint16",
        };
        let base = if entry.name == "flags" { "base.HEX" } else { "base.DEC" };
        let more = format!(", {base}, nil, nil, {}", quoted(entry.note));
        field(out, &format!("header.{}", word(entry.name)), make, entry.name, &more);
    }
    for (flag, name) in Flags::ALL {
        let more = format!(", 16, nil, {:#06x}", flag.0);
        field(out, &format!("flag.{}", word(name)), "bool", name, &more);
    }
}

fn frame_fields(out: &mut String) {
    out.push_str("\n-- Frame and packet.\n");
    field(out, "address", "bytes", "address", ", base.NONE");
    field(out, "control_length", "uint8", "length in the control field", ", base.DEC");
    field(out, "pid", "uint8", "packet identity", ", base.DEC");
    field(out, "no_ack", "bool", "not to be acknowledged", "");
    field(out, "payload", "bytes", "payload", ", base.NONE");
    field(out, "crc", "uint16", "checksum", ", base.HEX");
    field(out, "kind", "string", "kind", "");
    field(out, "valid", "uint8", "valid", ", base.DEC");
    field(out, "dadr", "uint8", "destination", ", base.HEX");
    field(out, "sadr", "uint8", "source", ", base.HEX");
    let mut types = String::from("{ ");
    for layout in MESSAGES {
        let _ = write!(types, "[{:#04x}] = {}, ", layout.typ, quoted(layout.name));
    }
    for (typ, name) in (0..=255).filter_map(|typ| Some((typ, oberon_net::name(typ)?))) {
        let _ = write!(types, "[{typ:#04x}] = {}, ", quoted(name));
    }
    types.push('}');
    field(out, "typ", "uint8", "type", &format!(", base.HEX, {types}"));
    field(out, "len", "int32", "length", ", base.DEC");
}

fn message_fields(out: &mut String) {
    out.push_str("\n-- Messages.\n");
    let mut reasons = String::from("{ ");
    for (at, (_, words)) in (1..).zip(REASONS) {
        let _ = write!(reasons, "[{at}] = {}, ", quoted(words));
    }
    reasons.push('}');
    let mut one = |message: &str, entry: &Field| {
        let more =
            |base: &str, values: &str| format!(", {base}, {values}, nil, {}", quoted(entry.note));
        let (make, more) = match (entry.kind, entry.width) {
            (Kind::Text, _) => ("string", format!(", base.ASCII, {}", quoted(entry.note))),
            (Kind::Ids, _) => ("uint8", more("base.DEC", "nil")),
            (Kind::Tag | Kind::Number | Kind::Counter, Width::Fixed(1)) => {
                let values = if entry.name == "reason" { reasons.as_str() } else { "nil" };
                ("uint8", more("base.DEC", values))
            }
            (Kind::Tag | Kind::Number | Kind::Counter, Width::Fixed(2)) => {
                ("uint16", more("base.DEC", "nil"))
            }
            (Kind::Tag | Kind::Number | Kind::Counter, Width::Fixed(4)) => {
                ("uint32", more("base.DEC", "nil"))
            }
            _ => ("bytes", format!(", base.NONE, {}", quoted(entry.note))),
        };
        field(out, &format!("{message}.{}", word(entry.name)), make, entry.name, &more);
    };
    for layout in MESSAGES {
        for entry in layout.fields {
            match entry.kind.parts() {
                None => one(layout.name, entry),
                Some(parts) => parts.iter().for_each(|entry| one(layout.name, entry)),
            }
        }
    }
}

/// Whether and how a value stands in the one line about a frame.
fn shown(entry: &Field) -> &'static str {
    match entry.kind {
        Kind::Mac => "nil",
        Kind::Counter => "\"#\"",
        Kind::Tag => "\"\"",
        _ if entry.name == "n" => "nil",
        _ if entry.name == "node" => "\"\"",
        _ => "\"=\"",
    }
}

fn tables(out: &mut String) {
    out.push_str("-- Fields of the captor's header: place, width, key.\nlocal header = {\n");
    for entry in FIELDS {
        let (offset, bytes) = (entry.offset, entry.bytes);
        let _ = writeln!(out, "  {{ {offset}, {bytes}, \"header.{}\" }},", word(entry.name));
    }
    out.push_str("}\nlocal flags = {\n");
    for (flag, name) in Flags::ALL {
        let _ = writeln!(out, "  {{ {:#06x}, \"flag.{}\" }},", flag.0, word(name));
    }
    out.push_str("}\n\n-- Messages: kind of each field, width (or most bytes), key, in the summary.\nlocal messages = {\n");
    for layout in MESSAGES {
        let from = layout.from.name();
        let (typ, name) = (layout.typ, layout.name);
        // A list of fixed parts stands in the table as these, and is counted all the same.
        let part = |part: &Field| if let Width::Fixed(bytes) = part.width { bytes } else { 0 };
        let parts = layout.fields.iter().filter_map(|entry| entry.kind.parts()).flatten();
        let listed: usize = parts.map(part).sum();
        let _ = writeln!(
            out,
            "  [{typ:#04x}] = {{ name = \"{name}\", from = \"{from}\", listed = {listed}, fields = {{"
        );
        let mut one = |entry: &Field| {
            let (counted, width) = match entry.width {
                Width::Fixed(bytes) => ("false", bytes),
                Width::Counted { max } => ("true", max),
            };
            let kind = match entry.kind {
                Kind::Text => "text",
                Kind::Ids => "ids",
                Kind::Tag | Kind::Number | Kind::Counter => "number",
                _ => "bytes",
            };
            let (key, shown) = (word(entry.name), shown(entry));
            let _ = writeln!(
                out,
                "    {{ kind = \"{kind}\", counted = {counted}, width = {width}, key = \"{name}.{key}\", \
                 name = \"{key}\", shown = {shown} }},"
            );
        };
        for entry in layout.fields {
            match entry.kind.parts() {
                None => one(entry),
                Some(parts) => parts.iter().for_each(&mut one),
            }
        }
        out.push_str("  } },\n");
    }
    let _ = write!(out, "}}\nlocal FRAME_BYTES = {FRAME_BYTES}\n");
}

/// What goes by the tables. Lua as Wireshark 3.6 and later run it (5.2 and 5.4).
const BODY: &str = r#"
local problem = ProtoExpert.new("kube.problem", "Frame is not whole", expert.group.CHECKSUM,
  expert.severity.WARN)
local malformed = ProtoExpert.new("kube.malformed", "Message does not have its form",
  expert.group.MALFORMED, expert.severity.ERROR)
kube.experts = { problem, malformed }

-- Bytes from any bit on: a control field shifts all behind it by one bit.
local function bytes_at(body, bit, count)
  if bit % 8 == 0 then return body(bit / 8, count) end
  local bytes = ByteArray.new()
  bytes:set_size(count)
  for i = 0, count - 1 do
    bytes:set_index(i, body(math.floor(bit / 8) + i, 2):bitfield(bit % 8, 8))
  end
  return bytes:tvb("Shifted by a bit")(0, count)
end

local function text_of(range)
  local text = ""
  for i = 0, range:len() - 1 do
    local byte = range(i, 1):uint()
    if byte == 0 then break end
    text = text .. ((byte >= 32 and byte < 127) and string.char(byte) or ".")
  end
  return text
end

-- Fields of a message; returns the line about it, or nil if lengths do not fit.
local function message_fields(message, data, tree)
  local fixed = 0
  for _, field in ipairs(message.fields) do
    if not field.counted then fixed = fixed + field.width end
  end
  local counted = data:len() - fixed
  if counted < 0 then return nil end
  local line, at = "", 0
  for _, field in ipairs(message.fields) do
    local width = field.counted and counted or field.width
    if field.counted and counted > field.width then return nil end
    if at + width > data:len() then return nil end
    local value
    if width > 0 then
      local range = data(at, width)
      if field.kind == "ids" then
        local ids = {}
        for i = 0, width - 1 do
          tree:add(f[field.key], range(i, 1))
          table.insert(ids, tostring(range(i, 1):uint()))
        end
        value = table.concat(ids, ",")
      elseif field.kind == "text" then
        value = text_of(range)
        tree:add(f[field.key], range, value)
      elseif field.kind == "number" then
        value = tostring(range:le_uint())
        tree:add_le(f[field.key], range)
      else
        value = tostring(range:bytes())
        tree:add(f[field.key], range)
      end
    elseif field.kind == "ids" then
      value = "-"
    end
    if field.name == "n" and data(at, width):uint() ~= counted + message.listed then
      return nil
    end
    if field.shown and value then
      local name = field.shown == "=" and field.name or ""
      line = line .. " " .. name .. field.shown .. value
    end
    at = at + width
  end
  return line
end

local function packet(payload, tree, info)
  if payload:len() ~= FRAME_BYTES or payload(0, 1):uint() ~= 1 then return "unknown" end
  local len = payload(4, 4):le_int()
  if len < 0 or len > 512 then return "unknown" end
  local typ = payload(3, 1):uint()
  tree:add(f["valid"], payload(0, 1))
  tree:add(f["dadr"], payload(1, 1))
  tree:add(f["sadr"], payload(2, 1))
  tree:add(f["typ"], payload(3, 1))
  tree:add_le(f["len"], payload(4, 4))
  info.src = string.format("%02x", payload(2, 1):uint())
  info.dst = string.format("%02x", payload(1, 1):uint())
  local message = messages[typ]
  if not message then
    return string.format("packet %02x", typ), string.format(" len=%d", len)
  end
  local line
  if len <= FRAME_BYTES - 8 and len > 0 then
    local branch = tree:add(kube, payload(8, len), "Message: " .. message.name)
    line = message_fields(message, payload(8, len), branch)
  end
  if not line then
    tree:add_proto_expert_info(malformed)
    return message.name, " (malformed)"
  end
  return message.name, line
end

function kube.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "Kube"
  local tree = root:add(kube, tvb())
  local length = tvb(1, 1):uint()
  local branch = tree:add(kube, tvb(0, length), "Captor's header")
  for _, entry in ipairs(header) do
    branch:add_le(f[entry[3]], tvb(entry[1], entry[2]))
  end
  local set = tvb(2, 2):le_uint()
  for _, flag in ipairs(flags) do branch:add_le(f[flag[2]], tvb(2, 2)) end
  local bits = tvb(10, 2):le_uint()
  local address_bytes = tvb(5, 1):uint()
  if address_bytes == 0 then address_bytes = 5 end
  local body = tvb(length)
  local function has(key)
    for _, flag in ipairs(flags) do
      if flag[2] == key then return math.floor(set / flag[1]) % 2 == 1 end
    end
    return false
  end
  local control = has("flag.control_field")
  if not has("flag.control_field_known") then control = bits % 8 == 1 end
  local around = address_bytes * 8 + (control and 9 or 0) + 16
  local payload_bits = bits - around
  if has("flag.crc_bad") or has("flag.truncated") then tree:add_proto_expert_info(problem) end
  local info = { src = "-", dst = "-" }
  local kind, line = "cut", string.format(" %d bits", bits)
  if payload_bits >= 0 and payload_bits % 8 == 0 and not has("flag.truncated") then
    tree:add(f["address"], body(0, address_bytes))
    local at = address_bytes * 8
    if control then
      local two = body(address_bytes, 2)
      tree:add(f["control_length"], two, two:bitfield(0, 6))
      tree:add(f["pid"], two, two:bitfield(6, 2))
      tree:add(f["no_ack"], two, two:bitfield(8, 1) == 1)
      at = at + 9
    end
    local bytes = payload_bits / 8
    if bytes == 0 and control then
      kind, line = "ack", ""
    elseif bytes > 0 then
      local payload = bytes_at(body, at, bytes)
      tree:add(f["payload"], payload)
      kind, line = packet(payload, tree, info)
    end
    local crc = bytes_at(body, at + payload_bits, 2)
    tree:add(f["crc"], crc)
  end
  tree:add(f["kind"], kind):set_generated()
  pinfo.cols.src = info.src
  pinfo.cols.dst = info.dst
  pinfo.cols.info = kind .. (line or "")
end
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_every_message_is_there_once() {
        let text = lua("0");
        for layout in MESSAGES {
            assert!(
                text.contains(&format!("[{:#04x}] = {{ name = \"{}\"", layout.typ, layout.name))
            );
            for entry in layout.fields.iter().filter(|entry| entry.kind.parts().is_none()) {
                let key = format!("f[\"{}.{}\"] = ", layout.name, word(entry.name));
                assert_eq!(text.matches(&key).count(), 1, "{key}");
            }
        }
        for entry in FIELDS {
            assert!(text.contains(&format!("\"kube.header.{}\"", word(entry.name))));
        }
        assert!(text.ends_with("add(wtap.USER1, kube)\n"));
    }
}
