//! The serial line of a machine: what a tool says is true, whatever the line does.

use kube_lab::line::sweep::{self, Tally};
use kube_lab::line::{Rig, Troubles, system};
use kube_serial::{Job, Outcome};

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
        ("Nope", "the module cannot be loaded, see the log", "failed, res 1"),
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
