//! What every program does around its work: flags, help, man page, completions, errors and exit.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use clap_complete::env::CompleteEnv;
use kube_boards::file::nearest;

use crate::code::{self, Exit};
use crate::failure::{Failure, Outcome};
use crate::flags::Shared;
use crate::interrupt;
use crate::output::Output;
use crate::talk::Talk;

/// A program: its flags, and its work.
pub trait Program: CommandFactory + FromArgMatches {
    /// The flags of every program among its own.
    fn shared(&self) -> &Shared;

    /// Does the work.
    ///
    /// # Errors
    /// What went wrong.
    fn run(self, session: &Session) -> Outcome;
}

/// One run of a program.
#[derive(Debug)]
pub struct Session {
    /// Flags of every program.
    pub flags: Shared,
    /// stderr.
    pub talk: Talk,
    /// stdout.
    pub output: Output,
    matches: ArgMatches,
}

impl Session {
    /// Whether the value of an argument came from the environment.
    #[must_use]
    pub fn given_by_environment(&self, id: &str) -> bool {
        let mut matches = &self.matches;
        loop {
            if matches.try_contains_id(id).is_ok()
                && matches.value_source(id) == Some(ValueSource::CommandLine)
            {
                return false;
            }
            match matches.subcommand() {
                Some((_, inner)) => matches = inner,
                None => break,
            }
        }
        self.matches.try_contains_id(id).is_ok()
            && self.matches.value_source(id) == Some(ValueSource::EnvVariable)
    }
}

/// The command of a program as help, man page, completions and parser see it.
#[must_use]
pub fn command<P: Program>() -> Command {
    P::command().after_help(Exit::help()).version(env!("CARGO_PKG_VERSION"))
}

/// Runs a program.
#[must_use]
pub fn main<P: Program>() -> ExitCode {
    CompleteEnv::with_factory(command::<P>).complete();
    interrupt::install();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(result) = beside_the_work::<P>(&arguments) {
        return end(&Talk::new(&Shared::default()), Output::new(Default::default()), result);
    }
    let matches = command::<P>().get_matches_from(&arguments);
    let program = match P::from_arg_matches(&matches) {
        Ok(program) => program,
        Err(error) => error.exit(),
    };
    let flags = program.shared().clone();
    if let Some(host) = &flags.host {
        let name = P::command().get_name().to_owned();
        let result = elsewhere(host, &name, &arguments);
        return result.unwrap_or_else(|failure| {
            end(&Talk::new(&flags), Output::new(flags.format()), Err(failure))
        });
    }
    let talk = Talk::new(&flags);
    let output = Output::new(flags.format());
    let misplaced = misplaced(command::<P>(), &matches);
    let session = Session { talk: talk.clone(), output, matches, flags };
    end(&talk, output, misplaced.map_or_else(|| program.run(&session), Err))
}

/// A flag of the work without a verb, given before a verb that would not look at it.
fn misplaced(mut command: Command, matches: &ArgMatches) -> Option<Failure> {
    command.build();
    let verb = command.find_subcommand(matches.subcommand_name()?)?;
    let given = |argument: &&Arg| {
        let id = argument.get_id().as_str();
        !argument.is_global_set()
            && matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let argument = command.get_arguments().find(given)?;
    let (name, verb) = (argument.to_string(), verb.get_name());
    let program = command.get_name();
    let failure = Failure::new(&code::USAGE, format!("{name} has no meaning before {verb}"));
    let also_there = |other: &Arg| other.get_id() == argument.get_id();
    Some(match command.find_subcommand(verb)?.get_arguments().any(also_there) {
        true => failure.help(format!("write it behind: {program} {verb} {name}")),
        false => failure.help(format!("{program} {verb} --help shows the flags of {verb}")),
    })
}

fn end(talk: &Talk, output: Output, result: Outcome) -> ExitCode {
    let Err(failure) = result else {
        return ExitCode::SUCCESS;
    };
    if output.structured() && !failure.answered {
        let _ = output.object("error", failure.json());
    }
    talk.failed(&failure);
    ExitCode::from(failure.code.exit as u8)
}

/// Runs the same command on another machine. ssh ends as the command there does, or with 255.
fn elsewhere(host: &str, name: &str, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let failed = |why: String| {
        Failure::new(&code::HOST, format!("{name} could not be run on {host}"))
            .cause(why)
            .help(format!("try: ssh {host} {name} --version"))
    };
    let mut words = Vec::new();
    let mut given = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = given.next() {
        if word == "--host" {
            given.next();
        } else if !word.starts_with("--host=") {
            words.push(format!("'{}'", word.replace('\'', "'\\''")));
        }
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut ssh = std::process::Command::new("ssh");
    if terminal {
        ssh.arg("-t");
    }
    // A host must not be taken for an option.
    ssh.args(["--", host, name]).args(words);
    match ssh.status() {
        Err(error) => Err(failed(format!("ssh: {error}"))),
        Ok(status) => match status.code() {
            None | Some(255) => Err(failed("ssh ended without an answer of the tool".to_owned())),
            Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        },
    }
}

/// What needs no further arguments: `--explain`, `--completions`, `--man`.
fn beside_the_work<P: Program>(arguments: &[OsString]) -> Option<Outcome> {
    let output = Output::new(Default::default());
    let words: Vec<_> = arguments.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let value = |flag: &str| {
        let at = words.iter().take_while(|word| *word != "--").position(|word| word == flag)?;
        words.get(at + 1).map(ToString::to_string)
    };
    if let Some(name) = value("--explain") {
        return Some(explain(output, &name));
    }
    if let Some(shell) = value("--completions") {
        return Some(completions::<P>(output, &shell));
    }
    if words.first().is_some_and(|word| word == "--man") {
        return Some(man::<P>(output));
    }
    None
}

fn explain(output: Output, name: &str) -> Outcome {
    let codes = code::all();
    let Some(code) = codes.iter().find(|code| code.name == name) else {
        let failure = Failure::new(&code::CODE_UNKNOWN, format!("there is no error code {name}"));
        return Err(match nearest(name, codes.iter().map(|code| code.name)) {
            Some(near) => failure.help(format!("did you mean --explain {near}?")),
            None => failure.help("take the code from the first line of an error"),
        });
    };
    output.line(&format!("{} (exit code {})\n\n{}", code.name, code.exit as u8, code.explanation))
}

/// The line that a shell reads to complete this program's words, board names among them.
fn completions<P: Program>(output: Output, shell: &str) -> Outcome {
    let name = P::command().get_name().to_owned();
    let shells = clap_complete::env::Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        let known: Vec<_> = shells.names().collect();
        return Err(Failure::new(&code::USAGE, format!("there are no completions for {shell}"))
            .help(format!("shells: {}", known.join(", "))));
    };
    let mut script = Vec::new();
    completer
        .write_registration("COMPLETE", &name, &name, &name, &mut script)
        .map_err(|error| Failure::new(&code::IO, "the completions cannot be made").cause(error))?;
    output.bytes(&script)
}

fn man<P: Program>(output: Output) -> Outcome {
    let mut page = Vec::new();
    let mut command = command::<P>();
    command.build();
    let result = clap_mangen::Man::new(command.clone()).render(&mut page);
    let subcommands = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    let result = subcommands.fold(result, |result, sub| {
        let name = format!("{} {}", command.get_name(), sub.get_name()).to_uppercase();
        result?;
        page.extend_from_slice(format!("\n.SH \"{name}\"\n").as_bytes());
        let man = clap_mangen::Man::new(sub.clone());
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)
    });
    result.map_err(|error| Failure::new(&code::IO, "the man page cannot be made").cause(error))?;
    output.bytes(&page)
}
