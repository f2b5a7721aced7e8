//! The store to a tool and back, by the machine's own words: what is not whole changes nothing.

use crate::bench::Bench;

/// The store as `Backup.Read` gives it, in pairs of digits.
fn read(bench: &mut Bench) -> String {
    let answer = bench.ask("Backup.Read");
    assert!(answer.starts_with("backup - ") && answer.ends_with("= .\n"), "{answer}");
    answer
        .lines()
        .filter_map(|line| line.strip_prefix("b ")?.split_once(' '))
        .map(|row| row.1)
        .collect()
}

/// Commands that put digits onto a machine, without the last.
fn parts(digits: &str) -> Vec<String> {
    let mut commands = vec![format!("Backup.Begin {}", digits.len() / 2)];
    for at in (0..digits.len()).step_by(192) {
        let part = &digits[at..digits.len().min(at + 192)];
        commands.push(format!("Backup.Put {} {part}", at / 2));
    }
    commands
}

#[test]
fn a_store_comes_back_whole_and_nothing_else_is_taken() {
    let mut bench = Bench::new("Kube.Start local;Kube.Ensure web 3 Ticker");
    bench.expect("store on disk", 5_000);
    bench.run_ms(1_500);
    let (tree, digits) = (bench.ask("Kube.Get"), read(&mut bench));
    bench.ask("Kube.Scale web 1");
    bench.run_ms(1_500);
    let after = bench.ask("Kube.Get");
    assert_ne!(tree, after);
    let refused = |bench: &mut Bench, commands: &[String], said: &str| {
        let answers: String = commands.iter().map(|command| bench.ask(command)).collect();
        assert!(answers.ends_with(said), "{answers}");
        assert_eq!(bench.ask("Kube.Get"), after, "{said}");
    };
    let commit = || "Backup.Commit kube 0".to_owned();
    let whole = "kube: the backup has not come whole, nothing was changed\n";
    refused(&mut bench, &[commit()], whole);
    let all = parts(&digits);
    refused(&mut bench, &[&all[..all.len() - 1], &[commit()]].concat(), whole);
    let order = "kube: parts come one behind the other, after Begin\n";
    refused(&mut bench, &[all[0].clone(), all[2].clone()], order);
    let form = "kube: the form is Backup.Put place digits\n";
    refused(&mut bench, &[all[0].clone(), "Backup.Put 0 31425".to_owned()], form);
    refused(&mut bench, &["Backup.Begin 23".to_owned()], "as many as a store has\n");
    let changed = digits.replacen("776562", "776563", 1);
    assert_ne!(changed, digits);
    let no_store = "kube: what came is no whole store, nothing was changed\n";
    refused(&mut bench, &[parts(&changed), vec![commit()]].concat(), no_store);
    for command in &all {
        assert_eq!(bench.ask(command), "");
    }
    assert!(bench.ask(&commit()).ends_with("kube: 8 objects restored from a backup\n"));
    bench.run_ms(1_000);
    assert_eq!(bench.ask("Kube.Get"), tree);
    // It is on the disk, too.
    let mut bench = Bench::with(
        bench.into_disk(),
        crate::bench::Socket::Empty(kube_emu::NoRadio { level: true }),
    );
    bench.expect("kube: 8 objects restored from the disk", 5_000);
    bench.expect("deployment web exists", 5_000);
    bench.run_ms(1_000);
    assert_eq!(bench.ask("Kube.Get"), tree);
}

#[test]
fn before_the_start_there_is_nothing_to_read_and_the_disk_stays_as_it_is() {
    let mut bench = Bench::new("System.Date");
    bench.run_ms(2_000);
    let before = bench.disk().into_bytes();
    assert_eq!(bench.ask("Backup.Read"), "kube: nothing to back up before Kube.Start\n");
    bench.run_ms(1_000);
    let disk = bench.disk();
    let image = kube_disk::Image::open(before).expect("an image");
    for name in ["Kube.Store0", "Kube.Store1"] {
        assert_eq!(disk.read(name).ok(), image.read(name).ok(), "{name}");
    }
}
