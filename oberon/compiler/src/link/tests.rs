//! Boot images of small made-up modules: layout, fix-ups, and one fault of each kind.

use super::{LinkError, boot_image};
use crate::object::ObjectFile;

const RETURN: u32 = 0xC700_000F;

fn module(name: &str, imports: &[(&str, u32)]) -> ObjectFile {
    ObjectFile {
        name: name.to_string(),
        key: name.len() as u32,
        imports: imports.iter().map(|(n, k)| (n.to_string(), *k)).collect(),
        code: vec![RETURN, RETURN],
        entries: vec![4],
        body: 4,
        ..ObjectFile::default()
    }
}

fn word(image: &[u8], at: u32) -> u32 {
    let at = at as usize;
    u32::from_le_bytes(image[at..at + 4].try_into().unwrap())
}

#[test]
fn one_module() {
    let object = ObjectFile {
        variable_bytes: 8,
        strings: b"abc\0".to_vec(),
        pointers: vec![4],
        commands: vec![("Run".to_string(), 0)],
        ..module("Core", &[])
    };
    let image = boot_image(&[object]).unwrap();
    let (descriptor, data) = (0x100, 0x150);
    let code = data + 12;
    assert_eq!(word(&image, 0), 0xE700_0000 + (code + 4) / 4 - 1);
    assert_eq!([word(&image, 12), word(&image, 24)], [0xE_7EF0, 0x8_0000]);
    // 80 + 12 data + 8 code + 12 commands + 4 entries + 8 pointers = 124; 100H + 124 + 100H = 27CH
    assert_eq!(word(&image, 16), 0x260);
    assert_eq!(image.len(), 0x260);
    assert_eq!(word(&image, 20), descriptor);
    assert_eq!(word(&image, 0x24), data);
    assert_eq!(&image[0x100..0x105], b"Core\0");
    let fields: Vec<u32> = (0..11).map(|i| word(&image, descriptor + 32 + 4 * i)).collect();
    let (imp, cmd, ent, ptr) = (code + 8, code + 8, code + 20, code + 24);
    assert_eq!(fields, [0, 4, 1, 0x160, 0, data, code, imp, cmd, ent, ptr]);
    assert_eq!(&image[cmd as usize..cmd as usize + 12], b"Run\0\0\0\0\0\0\0\0\0");
    assert_eq!(word(&image, ent), 4);
    assert_eq!([word(&image, ptr), word(&image, ptr + 4)], [data + 4, 0]);
}

#[test]
fn order_of_arguments_does_not_matter() {
    let a = module("A", &[]);
    let bb = module("BB", &[("A", 1)]);
    let top = module("Top", &[("BB", 2), ("A", 1)]);
    let image = boot_image(&[a.clone(), bb.clone(), top.clone()]).unwrap();
    assert_eq!(boot_image(&[top, bb, a]), Ok(image.clone()));
    // Newest first: Top -> BB -> A, with 0, 1 and 2 importers.
    let top_at = word(&image, 20);
    let bb_at = word(&image, top_at + 32);
    let a_at = word(&image, bb_at + 32);
    assert_eq!([a_at, word(&image, a_at + 32)], [0x100, 0]);
    assert_eq!([top_at, bb_at, a_at].map(|m| word(&image, m + 48)), [0, 1, 2]);
    let imp = word(&image, top_at + 60);
    assert_eq!([word(&image, imp), word(&image, imp + 4)], [bb_at, a_at]);
}

#[test]
fn fixups() {
    let low = ObjectFile {
        type_descriptors: vec![32, 0, 0, 0],
        variable_bytes: 16,
        entries: vec![4, 0, 20, 0],
        ..module("Low", &[])
    };
    let top = ObjectFile {
        type_descriptors: vec![32, 1 << 24 | 3 << 12 | 1, 8 << 12 | 1, 0],
        code: vec![
            RETURN,
            0xF710_1001, // call Low, entry 1
            0x8000_0002, // own data base; distance 2 = start of the chain
            0x8110_0001, // data base of Low
            0x4118_0002, // with offset of entry 2
            0x8210_0002, // data base of Low
            0x4228_0101, // with entry 1 as a procedure value
            0xF710_0006, // call Low, entry 0
            RETURN,
        ],
        fix_p: 7,
        fix_d: 5,
        fix_t: 2,
        ..module("Top", &[("Low", 3)])
    };
    let image = boot_image(&[top, low]).unwrap();
    let top_at = word(&image, 20);
    let (data, code) = (word(&image, top_at + 52), word(&image, top_at + 56));
    let (low_data, low_code) = (0x150, 0x150 + 32);
    let call = |from: u32, to: u32| {
        0xF700_0000 | (to.wrapping_sub(code + 4 * from + 4) as i32 / 4) as u32 & 0xFF_FFFF
    };
    let got: Vec<u32> = (0..8).map(|i| word(&image, code + 4 * i)).collect();
    let want = [
        RETURN,
        call(1, low_code),
        0x80C0_0008,
        0x81C0_0004,
        0x4118_0014,
        0x82C0_0004,
        0x4228_0020,
        call(7, low_code + 4),
    ];
    assert_eq!(got, want);
    assert_eq!([word(&image, data + 4), word(&image, data + 8)], [low_data, data + 8]);
}

#[test]
fn wrong_sets_of_modules() {
    assert_eq!(boot_image(&[]), Err(LinkError::Empty));
    let a = module("A", &[]);
    let twice = boot_image(&[a.clone(), a.clone()]);
    assert_eq!(twice, Err(LinkError::Duplicate { module: "A".to_string() }));
    let alone = ObjectFile { version: 0, ..a.clone() };
    assert_eq!(boot_image(&[alone]), Err(LinkError::Standalone { module: "A".to_string() }));
    let missing = boot_image(&[module("Top", &[("A", 1)])]).unwrap_err();
    assert_eq!(missing.to_string(), "module Top imports A, which is not given: add A.rsc");
    let conflict = boot_image(&[a.clone(), module("Top", &[("A", 0xFF)])]).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        "module Top was compiled with A of key 000000FFH, given is A of key 00000001H: compile \
         Top again after A"
    );
    let tops = boot_image(&[module("C", &[]), a, module("Top", &[("A", 1)])]);
    assert_eq!(tops, Err(LinkError::Tops { tops: vec!["C".to_string(), "Top".to_string()] }));
}

#[test]
fn import_circles_are_named() {
    let x = module("X", &[("Y", 1)]);
    let y = module("Y", &[("X", 1)]);
    let circle = boot_image(&[x.clone(), y.clone()]).unwrap_err();
    assert!(circle.to_string().contains("X -> Y -> X"), "{circle}");
    let beside = boot_image(&[x, y, module("A", &[])]).unwrap_err();
    assert!(matches!(beside, LinkError::Cycle { .. }), "{beside}");
}

#[test]
fn what_does_not_fit() {
    let big = ObjectFile { variable_bytes: 0x7_8000, ..module("Big", &[]) };
    assert!(matches!(boot_image(&[big]), Err(LinkError::TooLarge { .. })));
    let huge = ObjectFile { variable_bytes: u32::MAX, ..module("Huge", &[]) };
    assert!(matches!(boot_image(&[huge]), Err(LinkError::TooLarge { .. })));
    let many: Vec<ObjectFile> = (0..56).map(|i| module(&format!("M{i}"), &[])).collect();
    assert_eq!(boot_image(&many), Err(LinkError::TooMany { count: 56 }));
    let long = module(&"N".repeat(32), &[]);
    assert!(matches!(boot_image(&[long]), Err(LinkError::Name { .. })));
}

#[test]
fn broken_chains_end() {
    let chain = |code: Vec<u32>, fix_p, fix_d| {
        let object = ObjectFile { code, fix_p, fix_d, body: 0, ..module("Top", &[("A", 1)]) };
        boot_image(&[module("A", &[]), object]).unwrap_err()
    };
    let fault = |error| match error {
        LinkError::Chain { chain, word, fault, .. } => (chain, word, fault),
        other => panic!("{other}"),
    };
    let found = chain(vec![RETURN; 2], 2, 0);
    assert_eq!(fault(found), ("call", 2, "it starts behind the end"));
    let found = chain(vec![RETURN, 0xF710_0000], 1, 0);
    assert_eq!(fault(found), ("call", 1, "its distance is 0"));
    let found = chain(vec![RETURN, 0xF710_0002], 1, 0);
    assert_eq!(fault(found), ("call", 1, "it leads before the start"));
    let found = chain(vec![RETURN, 0xF720_0001], 1, 0);
    assert_eq!(fault(found), ("call", 1, "it names a module beyond the import list"));
    let found = chain(vec![RETURN, 0x8010_0001], 0, 1);
    assert_eq!(fault(found), ("data", 1, "no instruction follows it"));
    let found = chain(vec![RETURN, 0xF710_5001], 1, 0);
    assert!(matches!(found, LinkError::Entry { entry: 5, entries: 1, .. }), "{found}");
}

#[test]
fn offsets_outside_of_the_module() {
    let outside = |object| match boot_image(&[object]).unwrap_err() {
        LinkError::Outside { what, offset, .. } => (what, offset),
        other => panic!("{other}"),
    };
    let found = outside(ObjectFile { body: 8, ..module("M", &[]) });
    assert_eq!(found, ("its body", 8));
    let found = outside(ObjectFile { pointers: vec![0], ..module("M", &[]) });
    assert_eq!(found, ("a pointer variable", 0));
    let found = outside(ObjectFile { entries: vec![4, 100], ..module("M", &[]) });
    assert_eq!(found, ("an entry", 100));
    let commands = vec![("Run".to_string(), 8)];
    assert_eq!(outside(ObjectFile { commands, ..module("M", &[]) }), ("a command", 8));
}
