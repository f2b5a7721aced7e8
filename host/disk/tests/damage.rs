//! Damaged images: each kind of damage is found and named, and nothing hangs or panics.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_disk::{
    BootFault, DiskError, Finding, HeaderFault, Image, ImageBuilder, Owner, PageFault, Sector,
    Severity,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// 60 files on two levels of pages, one of them with an index sector.
fn sample() -> Vec<u8> {
    let mut builder = ImageBuilder::new().size_bytes(300 * 1024);
    for i in 10..70 {
        builder = builder.file(&format!("F{i}"), &[i; 900]);
    }
    builder.file("Long", &[7; 100_000]).build().unwrap().into_bytes()
}

fn at(sector: Sector, byte: usize) -> usize {
    (sector.number() as usize - 1) * 1024 + byte
}

fn put(image: &mut [u8], at: usize, word: u32) {
    image[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

fn get(image: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(image[at..at + 4].try_into().unwrap())
}

fn header(image: &[u8], name: &str) -> Sector {
    Image::open(image.to_vec()).unwrap().find(name).unwrap().unwrap().header
}

/// Leaves left of the first and second entry of the root.
fn leaves(image: &[u8]) -> [Sector; 2] {
    [8, 64 + 36].map(|byte| Sector::from_address(get(image, byte)).unwrap())
}

/// Findings besides the missing boot image.
fn check(image: &[u8]) -> Vec<Finding> {
    let image = Image::open(image.to_vec()).unwrap();
    let mut findings = image.check();
    assert_eq!(findings.remove(0), Finding::Boot(BootFault::Empty));
    for finding in &findings {
        let text = finding.to_string();
        assert!(text.contains(';') || text.contains(':'), "no remedy: {text}");
    }
    findings
}

#[test]
fn the_sample_is_intact() {
    assert_eq!(check(&sample()), vec![]);
    assert_eq!(Finding::Boot(BootFault::Empty).severity(), Severity::Warning);
}

#[test]
fn not_an_image() {
    let text = Image::open(vec![0; 5000]).unwrap_err().to_string();
    assert!(text.starts_with("not an Oberon disk image (5000 bytes)"), "{text}");
    assert!(text.contains("it starts with 00000000H"), "{text}");
    assert!(matches!(Image::open(vec![]), Err(DiskError::NotAnImage { length: 0, first: None })));
    let cut = sample()[..1023].to_vec();
    assert!(matches!(Image::open(cut), Err(DiskError::NotAnImage { .. })));
}

#[test]
fn a_page_that_leads_back_to_itself_ends() {
    let mut image = sample();
    put(&mut image, 8, Sector::ROOT.address());
    let shared = Finding::Shared { sector: Sector::ROOT, first: Owner::Page, second: Owner::Page };
    assert_eq!(check(&image)[0], shared);
    let mut image = sample();
    put(&mut image, 8, Sector::BOOT.address());
    let rule = "inside of the directory root or boot area";
    let inside = Finding::Address { owner: Owner::Page, address: 58, rule };
    assert!(check(&image).contains(&inside));

    let mut image = sample();
    let [leaf, _] = leaves(&image);
    put(&mut image, at(leaf, 8), leaf.address());
    let shared = Finding::Shared { sector: leaf, first: Owner::Page, second: Owner::Page };
    assert!(check(&image).contains(&shared));
    let image = Image::open(image).unwrap();
    assert!(matches!(image.list(), Err(DiskError::Damaged { .. })));
    let error = image.read("F0").unwrap_err();
    assert!(error.to_string().contains("more than 16 levels"), "{error}");
}

#[test]
fn damaged_pages() {
    let leaf_fault = |byte: usize, word: u32| {
        let mut image = sample();
        let [leaf, _] = leaves(&image);
        put(&mut image, at(leaf, byte), word);
        match check(&image).into_iter().next() {
            Some(Finding::Page { page, fault }) if page == leaf => fault,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(leaf_fault(0, 1), PageFault::Mark { found: 1 });
    assert_eq!(leaf_fault(4, 25), PageFault::Count { found: 25 });
    assert_eq!(leaf_fault(4, u32::MAX), PageFault::Count { found: -1 });
    assert_eq!(leaf_fault(64, 0x2F), PageFault::Name { index: 0 });
    assert_eq!(leaf_fault(8, 30), PageFault::Link { address: 30 });
    assert!(matches!(leaf_fault(64 + 32, 1), PageFault::Header { address: 1, .. }));
    let high = u32::from_le_bytes(*b"Zz\0\0");
    assert!(matches!(leaf_fault(64, high), PageFault::Order { .. }));
    assert_eq!(leaf_fault(64 + 36, 250 * 29), PageFault::Ragged);
}

#[test]
fn a_page_with_few_entries_is_only_a_warning() {
    let mut image = sample();
    let [leaf, _] = leaves(&image);
    put(&mut image, at(leaf, 4), 11);
    assert_eq!(check(&image), vec![Finding::Fill { page: leaf, entries: 11 }]);
    let mut image = Image::open(image).unwrap();
    image.remove("F10").unwrap();
    assert!(image.check().len() == 1, "{:?}", image.check());
}

#[test]
fn damaged_headers() {
    let fault = |byte: usize, word: u32| {
        let mut image = sample();
        let sector = header(&image, "F20");
        put(&mut image, at(sector, byte), word);
        let error = Image::open(image.clone()).unwrap().read("F20").unwrap_err();
        assert!(error.to_string().contains("file F20, header at sector"), "{error}");
        match check(&image).as_slice() {
            [Finding::Header { file, sector: s, fault }] if *s == sector => {
                assert_eq!(file.as_str(), "F20");
                fault.clone()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(fault(0, 5), HeaderFault::Mark { found: 5 });
    assert_eq!(fault(4, 0), HeaderFault::Name);
    assert!(matches!(fault(4, u32::from_le_bytes(*b"F21\0")), HeaderFault::OtherName { .. }));
    assert_eq!(fault(36, 3136), HeaderFault::Length { sectors: 3136, bytes: 228 });
    assert_eq!(fault(40, 1025), HeaderFault::Length { sectors: 1, bytes: 1025 });
    assert_eq!(fault(36, u32::MAX), HeaderFault::Length { sectors: -1, bytes: 228 });
    assert_eq!(fault(96, 64 * 29), HeaderFault::NotItself { address: 64 * 29 });
}

#[test]
fn a_sector_with_two_owners() {
    let mut image = sample();
    let (first, second) = (header(&image, "F30"), header(&image, "F31"));
    let stolen = get(&image, at(first, 100));
    put(&mut image, at(second, 100), stolen);
    match check(&image).as_slice() {
        [Finding::Shared { sector, first: Owner::Data(a, 1), second: Owner::Data(b, 1) }] => {
            assert_eq!(sector.address(), stolen);
            assert_eq!((a.as_str(), b.as_str()), ("F30", "F31"));
        }
        other => panic!("{other:?}"),
    }
    let mut image = Image::open(image).unwrap();
    let error = image.remove("F30").unwrap_err();
    assert!(matches!(error, DiskError::Damaged { more: 0, .. }), "{error}");
}

#[test]
fn sector_addresses_that_lead_nowhere() {
    let found = |name: &str, byte: usize, address: u32| {
        let mut image = sample();
        let sector = header(&image, name);
        put(&mut image, at(sector, byte), address);
        let error = Image::open(image.clone()).unwrap().read(name).unwrap_err();
        assert!(matches!(error, DiskError::Damaged { .. }), "{error}");
        check(&image).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let text = found("F12", 100, 30);
    assert_eq!(
        text,
        "data sector 1 of file F12 has disk address 30, not a multiple of 29 below 1900544; \
         replace the file"
    );
    let text = found("F12", 100, 0);
    assert!(text.contains("inside of the directory root or boot area"), "{text}");
    let text = found("F12", 100, 29 * 60_000);
    assert!(text.contains("lies at sector 60000, the image ends before sector 301"), "{text}");
    let text = found("Long", 48, 29 * 60_000);
    assert!(text.contains("index sector 0 of file Long lies at sector 60000"), "{text}");
    let text = found("Long", 48, u32::MAX);
    assert!(text.contains("index sector 0 of file Long has disk address"), "{text}");
}

#[test]
fn a_cut_image_says_so() {
    let mut image = sample();
    image.truncate(150 * 1024 + 100);
    let findings = check(&image);
    assert_eq!(findings[0], Finding::Length { extra: 100 });
    assert!(matches!(findings[1], Finding::Beyond { end: 151, .. }), "{}", findings[1]);
    let image = Image::open(image).unwrap();
    assert!(image.list().is_err());
}

/// Every image that can be had by changing a few bytes where the structure is.
#[test]
fn random_damage_never_panics() {
    let seed = std::env::var("KUBE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    println!("seed {seed}");
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let good = sample();
    let starts: Vec<usize> = (0..good.len() / 1024)
        .map(|s| s * 1024)
        .filter(|&s| [0x9B1E_A38D, 0x9BA7_1D86].contains(&get(&good, s)))
        .collect();
    for _ in 0..500 {
        let mut image = good.clone();
        for _ in 0..rng.random_range(1..6) {
            let sector = starts[rng.random_range(0..starts.len())];
            let byte = sector + rng.random_range(0..90) * 4;
            let word = match rng.random_range(0..4) {
                0 => 29 * rng.random_range(0..320),
                1 => rng.random(),
                2 => rng.random_range(0..30),
                _ => get(&good, starts[rng.random_range(0..starts.len())] + byte % 1024),
            };
            put(&mut image, byte, word);
        }
        let Ok(mut image) = Image::open(image) else { continue };
        let intact = image.check().iter().all(|f| f.severity() == Severity::Warning);
        let listed = image.list();
        let read: Vec<_> = (10..70).map(|i| image.read(&format!("F{i}"))).collect();
        if intact {
            assert!(listed.is_ok() && image.usage().is_ok());
        }
        drop(read);
        let before = image.bytes().to_vec();
        for change in [Image::remove as fn(&mut Image, &str) -> _, |i, n| i.replace(n, b"new")] {
            if change(&mut image, "F33").is_err() {
                assert_eq!(image.bytes(), before, "a refused change must not change anything");
            }
        }
    }
}

/// A machine that loses power while it lowers an empty root leaves it above the only page.
#[test]
fn an_empty_root_above_one_page_is_a_warning_and_is_mended() {
    let mut image = sample();
    let below = Sector::new(290).unwrap();
    image.copy_within(0..1024, at(below, 0));
    put(&mut image, at(Sector::ROOT, 4), 0);
    put(&mut image, at(Sector::ROOT, 8), below.address());
    let found = check(&image);
    assert!(found.contains(&Finding::Page { page: Sector::ROOT, fault: PageFault::Hollow }));
    assert!(found.iter().all(|finding| finding.severity() == Severity::Warning), "{found:?}");

    let mut image = Image::open(image).unwrap();
    image.remove("F10").unwrap();
    image.insert("New", b"content").unwrap();
    assert_eq!(check(&image.into_bytes()), []);
}
