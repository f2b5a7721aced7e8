//! A whole cluster written as pcapng: the same file for the same seed, on any number of threads.

use kube_air::{AirConfig, Recorder};
use kube_boards::fleet::Fleet;
use kube_boards::image::machine_image;
use kube_lab::engine::EngineKind;
use kube_lab::station::Station;
use kube_lab::world::World;
use kube_proto::capture::Flags;
use kube_proto::pcapng::CaptureReader;

const SECOND_NS: u64 = 1_000_000_000;

/// Six seconds of a plane and two nodes on an air that loses frames and inverts bits; an interface
/// for each station, and a tap.
fn capture(seed: u64, threads: usize) -> Vec<u8> {
    let system = kube_modules::build().expect("our modules");
    let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").expect("a fleet");
    let config = AirConfig {
        seed,
        loss: 0.05,
        bit_error_rate: 2e-4,
        keep_log: true,
        ..AirConfig::default()
    };
    let mut world = World::new(config, threads).expect("threads");
    let mut recorder = Recorder::new(Vec::new()).expect("memory takes it");
    for (at, spec) in (0..).zip(&fleet.machines()) {
        let image = machine_image(&system, spec, &[]).expect("an image");
        let id = world.air_mut().add_station();
        recorder.add_station(id, &spec.name).expect("memory takes it");
        let power_on_ns = (at * 97 + seed) * 1_000_000;
        let prom = system.prom.clone();
        world.add(
            Station::new(spec.clone(), id, EngineKind::Emu, prom, image, power_on_ns)
                .expect("a card"),
        );
    }
    let tap = world.air_mut().add_tap();
    let place = recorder.add_tap("tap").expect("memory takes it");
    for second in 1..=6 {
        world.run_until(second * SECOND_NS).expect("quanta are short enough");
        recorder.record(&world.air_mut().take_log()).expect("memory takes it");
        recorder.see(place, &world.air_mut().take_seen(tap)).expect("memory takes it");
    }
    recorder.finish()
}

#[test]
fn the_same_seed_gives_the_same_pcapng_on_one_and_two_threads() {
    let one = capture(1, 1);
    assert!(one == capture(1, 2), "the files differ");
    assert!(one != capture(2, 1), "the seed has no effect");
    let records: Vec<_> =
        CaptureReader::new(&one).expect("pcapng").collect::<Result<_, _>>().expect("a whole file");
    let with = |flag: Flags| records.iter().filter(|record| record.frame.flags.has(flag)).count();
    let (sent, good, bad) = (with(Flags::SENT), with(Flags::CRC_OK), with(Flags::CRC_BAD));
    println!("{} records: {sent} sent, {good} good, {bad} bad", records.len());
    assert!(sent >= 10 && good >= 2 * sent && bad > 0, "{sent} sent, {good} good, {bad} bad");
    assert_eq!(records.iter().filter(|record| record.name == "tap").count(), sent);
}
