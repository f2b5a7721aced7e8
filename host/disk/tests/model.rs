//! Random changes to an image, compared with a plain map after each step.
//!
//! `KUBE_SEED=<number>` runs one seed; without it a few fixed ones run.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test code outside of test functions")]

use kube_disk::{Image, ImageBuilder, MAX_FILE_BYTES};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;

type Model = BTreeMap<String, Vec<u8>>;

fn seeds() -> Vec<u64> {
    match std::env::var("KUBE_SEED") {
        Ok(text) => vec![text.parse().expect("KUBE_SEED is a number")],
        Err(_) => (1..=4).collect(),
    }
}

fn name(rng: &mut Pcg64Mcg, space: u32) -> String {
    let n = rng.random_range(0..space);
    // Long and short names, and names that are beginnings of others.
    match n % 3 {
        0 => format!("F{n}"),
        1 => format!("F{n}.Mod"),
        _ => format!("File.With.A.Longer.Name.{n}"),
    }
}

fn content(rng: &mut Pcg64Mcg) -> Vec<u8> {
    let length = match rng.random_range(0..20) {
        0 => 64 * 1024 - 352 + rng.random_range(0..3) - 1,
        1 => rng.random_range(65_000..600_000),
        2 => 1024 * rng.random_range(1..5) - 352,
        _ => rng.random_range(0..3000),
    };
    let byte: u8 = rng.random();
    (0..length).map(|i| byte.wrapping_add((i / 7) as u8)).collect()
}

fn compare(image: &Image, model: &Model, context: &str) {
    let findings = image.check();
    let serious: Vec<String> =
        findings.iter().map(ToString::to_string).filter(|t| !t.contains("it is empty,")).collect();
    assert!(serious.is_empty(), "{context}: {serious:#?}");
    let list = image.list().unwrap();
    let names: Vec<&str> = list.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, model.keys().map(String::as_str).collect::<Vec<_>>(), "{context}");
    for (file, content) in list.iter().zip(model.values()) {
        assert_eq!(file.length, content.len(), "{context}: {}", file.name);
    }
    let usage = image.usage().unwrap();
    let used: usize = list.iter().map(|f| f.sectors).sum::<usize>() + usage.pages - 1;
    assert_eq!(used + usage.free_sectors as usize, 65_536 - 64, "{context}");
}

fn run(seed: u64, steps: usize, space: u32) {
    println!("seed {seed}");
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut image = ImageBuilder::new().size_bytes(64_512).build().unwrap();
    let mut model = Model::new();
    let mut levels = 0;
    for step in 0..steps {
        let context = format!("seed {seed} step {step}");
        let name = name(&mut rng, space);
        // Grow for the first half, shrink in the second.
        let remove = rng.random_range(0..100) < if step < steps / 2 { 25 } else { 70 };
        if remove {
            assert_eq!(image.remove(&name).is_ok(), model.remove(&name).is_some(), "{context}");
        } else {
            let content = content(&mut rng);
            if rng.random() {
                image.replace(&name, &content).unwrap();
                model.insert(name.clone(), content);
            } else {
                let new = image.insert(&name, &content).is_ok();
                assert_eq!(new, !model.contains_key(&name), "{context}");
                model.entry(name.clone()).or_insert(content);
            }
        }
        compare(&image, &model, &context);
        assert_eq!(image.read(&name).ok().as_ref(), model.get(&name), "{context}: {name}");
        levels = levels.max(image.usage().unwrap().levels);
    }
    let reopened = Image::open(image.bytes().to_vec()).unwrap();
    for (name, content) in &model {
        assert_eq!(&reopened.read(name).unwrap(), content, "seed {seed}: {name}");
    }
    for name in model.keys() {
        image.remove(name).unwrap();
    }
    compare(&image, &Model::new(), "emptied");
    assert!(levels >= 2, "seed {seed}: only {levels} levels");
}

#[test]
fn random_changes_agree_with_a_map() {
    for seed in seeds() {
        run(seed, 400, 150);
    }
}

#[test]
fn three_levels_of_pages_grow_and_shrink() {
    let mut image = ImageBuilder::new().build().unwrap();
    let mut model = Model::new();
    for i in 0..700 {
        let name = format!("N{}", i * 7919 % 700);
        image.insert(&name, name.as_bytes()).unwrap();
        model.insert(name.clone(), name.into_bytes());
    }
    compare(&image, &model, "700 files");
    assert_eq!(image.usage().unwrap().levels, 3);
    for i in 0..700 {
        let name = format!("N{}", i * 4409 % 700);
        image.remove(&name).unwrap();
        model.remove(&name);
        if i % 20 == 0 {
            compare(&image, &model, &name);
        }
    }
    compare(&image, &model, "emptied");
    let usage = image.usage().unwrap();
    assert_eq!((usage.pages, usage.levels, usage.free_sectors), (1, 1, 65_536 - 64));
}

#[test]
fn longest_file() {
    let content: Vec<u8> = (0..MAX_FILE_BYTES).map(|i| (i / 1024) as u8).collect();
    let mut image = ImageBuilder::new().file("Long", &content).build().unwrap();
    assert_eq!(image.read("Long").unwrap(), content);
    assert_eq!(image.find("Long").unwrap().unwrap().sectors, 3136 + 12);
    let more = vec![0; MAX_FILE_BYTES + 1];
    let text = image.replace("Long", &more).unwrap_err().to_string();
    assert_eq!(text, "file Long has 3210913 bytes, a file can have 3210912: split it");
    assert_eq!(image.read("Long").unwrap(), content);
}

#[test]
fn a_full_disk_is_refused_and_stays_intact() {
    let content = vec![1; MAX_FILE_BYTES];
    let mut image = ImageBuilder::new().build().unwrap();
    let mut count = 0;
    let error = loop {
        match image.insert(&format!("F{count}"), &content) {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(count, 65_472 / 3148);
    assert!(error.to_string().contains("free sectors of 1024 bytes, file F20 needs"), "{error}");
    assert_eq!(image.bytes().len() / 1024, 64 + count * 3148 - 1);
    assert_eq!(image.list().unwrap().len(), count);
    image.replace("F0", b"small").unwrap();
    image.insert("F20", &content).unwrap();
    assert!(image.check().len() == 1, "{:?}", image.check());
}

#[test]
fn removed_content_is_cleared() {
    let mut image = ImageBuilder::new().file("Secret", b"Kube.Key 31415").build().unwrap();
    let empty = ImageBuilder::new().build().unwrap();
    image.remove("Secret").unwrap();
    assert_eq!(image.changed_sectors(&empty), vec![]);
}
