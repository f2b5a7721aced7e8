//! The serial line of a machine: what a tool says is true, whatever the line does.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube_lab::line::sweep::{self, Tally};
use kube_lab::line::{self, Rig, Troubles, system};
use kube_lab::terminal::Terminal;
use kube_serial::{Event, Job, Outcome, Session};

type Tested = Result<(), Box<dyn std::error::Error>>;

fn rig() -> Result<Rig, Box<dyn std::error::Error>> {
    Ok(Rig::new(&system()?, &["Counted.Load"])?)
}

fn clean(tally: &Tally) {
    assert!(tally.jobs > 0);
    assert_eq!((tally.doubled, tally.untrue), (0, 0), "{tally:#?}");
}

#[test]
fn a_command_is_done_and_its_output_is_its_own() -> Tested {
    let mut rig = rig()?;
    for count in 1..=3 {
        let run = rig.run(Job::command("Counted.Up")?, &Troubles::default(), 5_000);
        assert_eq!(run.outcome, Some(Outcome::Done));
        assert_eq!(run.log, ["boot: Counted.Up".to_owned(), format!("count {count}")]);
        assert_eq!(run.counted, 1);
    }
    Ok(())
}

#[test]
fn what_cannot_be_done_fails_with_a_reason() -> Tested {
    let mut rig = rig()?;
    for (command, reason, log) in [
        ("Counted.Refused", "refused, see the log", "count 1"),
        ("Counted.Trap", "it trapped or did not return, see the log", "TRAP 7 assertion violated"),
        ("Counted.Nope", "no such command; the form is Module.Command", "failed, res 5"),
        ("Nope.Nope", "the module cannot be loaded, see the log", "failed, res 1: no object file"),
        ("Nope", "no such command; the form is Module.Command", "failed, res 1"),
    ] {
        let run = rig.run(Job::command(command)?, &Troubles::default(), 5_000);
        let Some(Outcome::Failed(said)) = &run.outcome else { panic!("{command}: {run:?}") };
        assert!(said.starts_with(reason), "{command}: {said}");
        assert!(run.log.iter().any(|line| line.contains(log)), "{command}: {run:?}");
    }
    let run = rig.run(Job::command("Counted.Up")?, &Troubles::default(), 5_000);
    assert_eq!((run.outcome, run.log[1].as_str()), (Some(Outcome::Done), "count 3"));
    Ok(())
}

#[test]
fn a_long_output_is_whole_and_a_slow_command_is_waited_for() -> Tested {
    let mut rig = rig()?;
    let run = rig.run(Job::command("Counted.Long")?, &Troubles::default(), 10_000);
    assert_eq!((run.outcome, run.log.len()), (Some(Outcome::Done), 152));
    assert!(run.log[151].ends_with("number 150"));
    let run = rig.run(Job::command("Counted.Slow")?, &Troubles::default(), 10_000);
    assert_eq!((run.outcome, run.counted), (Some(Outcome::Done), 1));
    assert!(run.us > 4_000_000);
    Ok(())
}

/// A part of the bytes; `cargo xtask bench boot` does all.
#[test]
fn a_damaged_byte_neither_doubles_a_command_nor_makes_its_answer_untrue() -> Tested {
    let mut rig = rig()?;
    clean(&sweep::command(&mut rig, "Counted.Up", &Outcome::Done, 5));
    let refused = Outcome::Failed("refused, see the log".to_owned());
    clean(&sweep::command(&mut rig, "Counted.Refused", &refused, 17));
    Ok(())
}

#[test]
fn a_power_cut_leaves_at_most_one_run_and_a_true_word() -> Tested {
    let tally = sweep::power(&mut rig()?, "Counted.Up", 60, 3);
    clean(&tally);
    assert!(tally.unknown > 0 && tally.unknown < tally.jobs, "{tally:?}");
    Ok(())
}

#[test]
fn a_load_of_64_kb_arrives_whole_at_nine_tenths_of_the_line_or_more() -> Tested {
    let mut rig = rig()?;
    let image = sweep::image();
    let run = rig.run(Job::load(&image, false)?, &Troubles::default(), 10_000);
    assert_eq!(run.outcome, Some(Outcome::Done));
    assert!(rig.holds(&image));
    let share = image.len() as f64 * 1e6 / f64::from(11_520) / run.us as f64;
    assert!(share >= 0.9, "{share}");
    clean(&sweep::load(&mut rig, 601));
    Ok(())
}

/// What a person sees who has nothing but a terminal; numbers that depend on time are left off.
#[test]
fn a_dialogue_typed_by_hand_at_a_pseudo_terminal() -> Tested {
    let mut terminal = Terminal::new()?;
    let mut by_hand = OpenOptions::new().read(true).write(true).open(terminal.path())?;
    let over = Arc::new(AtomicBool::new(false));
    let machine = std::thread::spawn({
        let over = over.clone();
        move || -> Result<(), String> {
            let system = system().map_err(|error| error.to_string())?;
            let mut rig =
                Rig::switched_on(&system, &["Counted.Load"]).map_err(|e| e.to_string())?;
            rig.serve(&mut terminal, || over.load(Ordering::Relaxed)).map_err(|e| e.to_string())
        }
    });
    let mut transcript = String::new();
    let long = format!("Counted.Up {}", "x".repeat(300));
    for (typed, last) in [
        ("", "boot: Counted.Load"),
        ("Counted.Up\r", "done: "),
        ("Counted.Uq\x08p; Counted.Up\r\n", "done: "),
        ("Counted.Refused\r", "failed: "),
        ("Counted.Trap\r", "failed: "),
        ("Counted.Upp\r", "failed: "),
        ("Watch\r", "failed: "),
        ("Count\u{e9}d.Up\r", "refused: "),
        ("#1 2 run Counted.Up\r", "refused: "),
        ("Counted.Up *0badcafe\r", "refused: "),
        (long.as_str(), ""),
        ("\r", "failed: "),
        ("Counted.Up\r", "done: "),
    ] {
        by_hand.write_all(typed.as_bytes())?;
        if !typed.trim().is_empty() {
            transcript.push_str(&format!("> {}\n", typed.trim().replace('\x08', "<BS>")));
        }
        if last.is_empty() {
            continue;
        }
        // A person looks up before going on: answers to noise come at most twice a second.
        let from = transcript.len();
        let mut bytes = [0; 256];
        let answers = typed.matches(';').count() + 1;
        while transcript[from..].matches(last).count() < answers || !transcript.ends_with('\n') {
            let len = by_hand.read(&mut bytes)?;
            let text = String::from_utf8_lossy(&bytes[..len]).replace('\r', "");
            transcript.push_str(&text);
        }
        std::thread::sleep(Duration::from_millis(600));
    }
    over.store(true, Ordering::Relaxed);
    machine.join().map_err(|_| "the machine's thread")??;
    let lines = transcript.lines().map(|line| match line {
        line if line.starts_with("Kubestation Oberon: ") => "Kubestation Oberon: ...",
        line if line.starts_with("TRAP 7 ") => "TRAP 7 ...",
        line if line.len() > 120 => "> Counted.Up xxx...",
        line => line,
    });
    let transcript: String = lines.map(|line| format!("{line}\n")).collect();
    assert_eq!(transcript, include_str!("dialogue.expect"));
    Ok(())
}

/// Both send at the same time over the same line; each hears everything.
#[test]
fn of_two_tools_on_one_line_one_waits() -> Tested {
    let mut rig = rig()?;
    let mut tools = [Session::new(0xAAAA), Session::new(0xBBBB)];
    let mut words: [Vec<Event>; 2] = Default::default();
    for tool in &mut tools {
        tool.begin(Job::command("Counted.Up")?)?;
    }
    let before = rig.machine.leds();
    let begin_ns = rig.machine.now_ns();
    for ms in 0..8_000_u64 {
        let received = rig.machine.serial_received();
        for (tool, words) in tools.iter_mut().zip(&mut words) {
            let mut out = Vec::new();
            tool.poll(ms * 1_000, &received, &mut out);
            rig.machine.serial_send(&out);
            while let Some(event) = tool.next_event() {
                if matches!(event, Event::Finished(_)) {
                    tool.free();
                }
                words.push(event);
            }
        }
        rig.machine.run_until(begin_ns + ms * 1_000_000);
    }
    for words in &words {
        assert!(words.contains(&Event::Finished(Outcome::Done)), "{words:?}");
    }
    assert_eq!(rig.machine.leds().wrapping_sub(before), 2, "each once");
    let waited = |words: &Vec<Event>| words.iter().any(|e| matches!(e, Event::Busy { .. }));
    assert_eq!(words.iter().filter(|words| waited(words)).count(), 1, "{words:?}");
    Ok(())
}

/// A tool that has gone without a word keeps the line for three seconds; a person is told so.
#[test]
fn a_tool_that_falls_silent_loses_the_line() -> Tested {
    let mut rig = rig()?;
    let mut gone = Session::new(7);
    gone.begin(Job::command("Counted.Up")?)?;
    let mut heard = String::new();
    let begin_ns = rig.machine.now_ns();
    for ms in 0..6_000_u64 {
        let received = rig.machine.serial_received();
        heard.push_str(&String::from_utf8_lossy(&received));
        if ms < 200 {
            let mut out = Vec::new();
            gone.poll(ms * 1_000, &received, &mut out);
            rig.machine.serial_send(&out);
        }
        if [500, 2_000, 5_000].contains(&ms) {
            rig.machine.serial_send(b"Counted.Up\r");
        }
        rig.machine.run_until(begin_ns + ms * 1_000_000);
    }
    let refused = "refused: a tool holds this line, until 3 s after its last word";
    assert_eq!(heard.matches(refused).count(), 2, "{heard}");
    assert!(heard.ends_with("boot: Counted.Up\r\ncount 2\r\ndone: Counted.Up\r\n"), "{heard}");
    Ok(())
}

/// A tool that has the line when the machine listens goes before the start commands, or replaces
/// them.
#[test]
fn a_tool_at_the_start_adds_commands_or_replaces_those_of_the_disk() -> Tested {
    for replaced in [false, true] {
        let system = system()?;
        let mut rig = Rig::switched_on(&system, &["Counted.Up", "Counted.Up"])?;
        let mut banner = String::new();
        while !banner.contains("boot number ") {
            rig.machine.run_until(rig.machine.now_ns() + 1_000_000);
            banner.push_str(&String::from_utf8_lossy(&rig.machine.serial_received()));
        }
        let mut log = Vec::new();
        if replaced {
            log.extend(rig.run(Job::skip_start_commands(), &Troubles::default(), 5_000).log);
        }
        let run = rig.run(Job::command("Counted.Long")?, &Troubles::default(), 5_000);
        assert_eq!(run.outcome, Some(Outcome::Done));
        log.extend(run.log);
        let counts: Vec<_> = log.iter().filter(|line| line.starts_with("count")).collect();
        assert_eq!(counts, ["count 1"], "before the start commands");
        rig.machine.run_until(rig.machine.now_ns() + 1_000_000_000);
        assert_eq!(rig.machine.leds(), if replaced { 1 } else { 3 });
    }
    Ok(())
}

/// A node of a working cluster: radio, disk and pods go on while the line runs at full rate.
#[test]
fn no_byte_is_lost_while_radio_and_disk_work() -> Tested {
    let loads = line::in_a_cluster(1)?;
    assert!(loads.whole && loads.share >= 0.9, "{loads:?}");
    assert_eq!(loads.lost, 0, "{loads:?}");
    assert!(loads.longest_silence_ms < 1_600, "{loads:?}");
    Ok(())
}
