//! Arbitrary bytes from a serial line: lines and frames are read without a panic, what reads back is
//! written the same, and a tool's session survives whatever a machine says.

#![no_main]

use kube_proto::serial::block::Block;
use kube_proto::serial::line::{Line, ToolLine};
use kube_proto::serial::{BLOCK_BYTES, FRAME_MAX, sum};
use kube_serial::{Event, Job, Session};
use libfuzzer_sys::fuzz_target;

const SESSION: u32 = 0x5F3A_91C2;

fuzz_target!(|data: &[u8]| {
    for line in data.split(|&byte| byte == b'\n') {
        match Line::parse(line) {
            Line::Answer(answer) => {
                let text = format_args!("{} {}", answer.word, answer.rest);
                let again = ToolLine::new(answer.session, answer.sequence, text);
                assert!(again.is_ok() || line.len() > 300);
                let _ = answer.numbers().count();
            }
            Line::Plain(plain) => assert_eq!(plain, line),
            Line::Log { .. } | Line::Damaged => {}
        }
        if let Some(block) = Block::parse(line) {
            let mut frame = [0; FRAME_MAX];
            let len = block.emit(&mut frame);
            assert_eq!(Block::parse(&frame[..len - 1]), Some(block));
        }
    }
    frame_of(data);
    session(data);
});

/// Any data travels in a frame.
fn frame_of(data: &[u8]) {
    let mut block = Block { session: SESSION, index: 7, data: [0; BLOCK_BYTES] };
    for (to, from) in block.data.iter_mut().zip(data) {
        *to = *from;
    }
    let mut frame = [0; FRAME_MAX];
    let len = block.emit(&mut frame);
    assert!(!frame[..len - 1].contains(&b'\n'));
    assert_eq!(Block::parse(&frame[..len - 1]), Some(block));
}

/// The first byte says which job, the rest are texts of answers: each gets the mark and the check
/// that make it one. A job ends at most once.
fn session(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else { return };
    let job = match kind % 4 {
        0 => Job::command("System.Watch"),
        1 => Job::load(&[kind; 5000], true),
        2 => Job::write(vec![(65, Box::new([kind; BLOCK_BYTES])), (1, Box::new([0; BLOCK_BYTES]))]),
        _ => Job::sums(60, 20),
    };
    let mut session = Session::new(SESSION);
    session.begin(job.expect("a job in range")).expect("the first");
    let mut finished = 0;
    for (at, text) in rest.split(|&byte| byte == b'\n').enumerate() {
        let mut line = match text.first() {
            Some(b'|') => text.to_vec(),
            _ => [format!("#{SESSION:08x} ").as_bytes(), text].concat(),
        };
        let check = sum(&line);
        line.extend_from_slice(format!(" *{check:08x}\r\n").as_bytes());
        let mut out = Vec::new();
        session.poll(at as u64 * 300_000, &line, &mut out);
        assert!(out.len() < 20_000);
        while let Some(event) = session.next_event() {
            finished += usize::from(matches!(event, Event::Finished(_)));
        }
    }
    session.give_up();
    while let Some(event) = session.next_event() {
        finished += usize::from(matches!(event, Event::Finished(_)));
    }
    assert_eq!(finished, 1, "a job has one end");
    assert!(!session.working());
}
