//! What the tools promise, and the tests that hold them to it. A test is named by the file in
//! `tests` that it stands in and by its function.

use std::path::Path;

/// One promise.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Number.
    pub number: u8,
    /// What is promised.
    pub promise: &'static str,
    /// Tests, as `file::function`.
    pub tests: &'static [&'static str],
}

/// Declares the table.
macro_rules! features {
    ($($number:literal $promise:literal [$($test:literal),*];)*) => {
        /// All promises.
        pub const FEATURES: &[Feature] = &[$(
            Feature { number: $number, promise: $promise, tests: &[$($test),*] },
        )*];
    };
}

features! {
    1 "one name for image, card, serial line, JTAG and air"
        ["machines::the_images_of_a_fleet_boot_as_their_boards",
         "every_tool::list_shows_everything_in_every_format",
         "cards::the_card_of_a_board_is_found"];
    2 "the order in which a setting is found is fixed, and -v says who won"
        ["every_tool::the_order_of_discovery_is_told"];
    3 "one match is used, several give a menu or an error; an unknown port is never opened"
        ["every_tool::several_boards_give_a_menu_on_a_terminal",
         "cards::the_card_of_a_board_is_found"];
    4 "list shows cards, serial lines, adapters and radios in one table, in every format"
        ["every_tool::list_shows_everything_in_every_format"];
    5 "doctor says what cannot be opened, by whom it is held and what helps"
        ["every_tool::doctor_says_what_is_wrong_and_what_helps"];
    6 "a dry run and diff say what would change and end with 0 or 1"
        ["flash::a_dry_run_and_diff_tell_and_touch_nothing"];
    7 "what is right already is skipped; only changed blocks are written"
        ["flash::the_same_inputs_give_the_same_image_and_only_changes_are_written"];
    8 "what was written is read back from the medium"
        ["cards::a_card_that_is_pulled_out_power_that_fails_and_cells_that_lie",
         "cards::a_write_cut_in_any_block_is_found_and_mended"];
    9 "disks that are no cards, or in use, are refused"
        ["cards::disks_that_are_no_cards_or_in_use_are_refused",
         "cards::a_card_is_named_and_nobody_writes_to_it_unasked"];
    10 "the tool knows the Oberon image in both forms and refuses everything else"
        ["flash::both_forms_of_image_are_known_and_nothing_else",
         "machines::a_genuine_image_keeps_every_other_file"];
    11 "info says what an image, card or bitstream holds and what a board runs"
        ["flash::info_says_what_an_image_is_and_hides_the_key",
         "boot::info_says_what_circuit_runs_on_the_board"];
    12 "a bitstream for another part is refused"
        ["every_tool::a_bitstream_for_the_part_is_handed_to_the_loader"];
    13 "boot over the serial line retries, goes on after a loss and never hangs silently"
        ["boot::an_image_is_loaded_into_memory_and_started",
         "boot::the_loader_in_the_prom_takes_an_image",
         "boot::a_silent_board_is_named_and_nothing_hangs",
         "boot::what_is_not_answered_in_time_is_unknown"];
    14 "monitor after every write; it reconnects, logs and ends when asked"
        ["every_tool::a_board_is_watched_after_it_has_been_written",
         "boot::the_monitor_shows_logs_and_ends_when_asked",
         "boot::the_monitor_opens_a_port_again_that_came_back"];
    15 "the same verbs on sim:NAME"
        ["machines::the_same_verbs_work_on_stand_ins",
         "boot::a_machine_of_a_running_lab_answers_like_a_board"];
    16 "a module is built, put on a board or the simulator and run in one command"
        ["machines::a_module_is_run_in_one_command"];
    17 "progress: one line a step with the same words; plain lines off a terminal; -q"
        ["every_tool::quiet_colour_and_plain_lines",
         "cards::three_hundred_megabytes_with_progress"];
    18 "stdout is data, stderr is talk; JSON has a schema"
        ["kube::what_there_is_in_every_format_asked_and_heard",
         "every_tool::errors_name_code_cause_and_help_and_are_objects_in_json"];
    19 "exit codes stand in the help and mean the same everywhere"
        ["every_tool::help_and_man_page_have_the_exit_codes_and_every_flag"];
    20 "errors have code, headline, cause and help; --explain works offline"
        ["every_tool::every_code_is_explained_offline"];
    21 "completions know the boards; man pages come from the same table"
        ["every_tool::completions_know_the_boards_of_the_fleet"];
    22 "--host runs on another machine; a board is locked while it is worked on"
        ["every_tool::another_host_runs_the_same_command",
         "every_tool::a_board_is_worked_on_by_one_program_at_a_time"];
    23 "sniff prints a line a frame, decoded, with names and filters"
        ["sniff::every_format_is_as_recorded",
         "sniff::filters_take_what_they_say",
         "air::a_lab_is_heard_whole_and_every_good_signature_is_recomputed"];
    24 "sniff writes and reads pcapng; extcap and a generated dissector for Wireshark"
        ["sniff::a_capture_goes_through_files_and_pipes_unchanged",
         "sniff::an_interrupted_capture_is_readable",
         "wireshark::tshark_shows_what_kube_sniff_shows",
         "wireshark::wireshark_captures_by_the_installed_interface"];
    25 "sniff top shows the cluster; rules end it with an exit code"
        ["sniff::the_table_fits_a_narrow_terminal_and_ends_with_a_key",
         "sniff::rules_end_the_run_with_an_exit_code"];
    26 "captures of simulated and live air have one format; diff ignores time"
        ["sniff::captures_are_compared_without_their_times"];
    27 "sniff says which frames it cannot see"
        ["sniff::what_a_source_cannot_show_is_said"];
    28 "nothing transmits unless told to twice"
        ["air::nothing_is_sent_on_real_air_unless_it_is_said_to_be_ones_own"];
}

/// Features whose tests all stand in the folder, and at least one does.
///
/// # Errors
/// Names a test of the table that does not stand there.
pub fn tested(tests: &Path) -> Result<usize, String> {
    let mut count = 0;
    for feature in FEATURES {
        for test in feature.tests {
            let (file, function) = test.split_once("::").ok_or_else(|| format!("{test}: no ::"))?;
            let path = tests.join(format!("{file}.rs"));
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let body = format!("#[test]\nfn {function}(");
            if !text.contains(&body) {
                return Err(format!("feature {}: there is no test {test}", feature.number));
            }
        }
        count += usize::from(!feature.tests.is_empty());
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_its_tests_exist() {
        let numbers: Vec<_> = FEATURES.iter().map(|feature| feature.number).collect();
        assert_eq!(numbers, (1..=28).collect::<Vec<u8>>());
        tested(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    }
}
