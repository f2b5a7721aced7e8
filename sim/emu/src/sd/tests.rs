use super::*;

/// Block of the boot area.
const BOOT: u32 = 0x8_0004;

fn image() -> BlockImage {
    let mut bytes = vec![0; 4 * BLOCK_BYTES];
    bytes[..4].copy_from_slice(&0x9B1E_A38D_u32.to_le_bytes());
    bytes[2 * BLOCK_BYTES..3 * BLOCK_BYTES].fill(0x5A);
    match BlockImage::new(bytes) {
        Ok(image) => image,
        Err(error) => panic!("{error}"),
    }
}

/// A host that talks to the card as boot loader and kernel do, 20 us a byte.
struct Host {
    card: SdCard,
    now_ns: u64,
}

impl Host {
    fn new() -> Self {
        let card = SdCard::with(image());
        Self { card, now_ns: 0 }
    }

    fn ready() -> Self {
        let mut host = Self::new();
        host.idle(10);
        assert_eq!(host.command(0, 0, 0x95), IDLE_STATE);
        assert_eq!(host.command(8, 0x1AA, 0x87), IDLE_STATE);
        for _ in 0..10_000 {
            host.command(55, 0, 0xFF);
            if host.command(41, 0x4000_0000, 0xFF) == 0 {
                assert_eq!(host.command(16, 512, 0xFF), 0);
                return host;
            }
        }
        panic!("never ready");
    }

    fn byte(&mut self, byte: u8) -> u8 {
        self.now_ns += 20_000;
        self.card.transfer(self.now_ns, byte)
    }

    fn idle(&mut self, bytes: u32) {
        self.card.select(false);
        for _ in 0..bytes {
            self.byte(0xFF);
        }
    }

    /// Response byte, FFH if there is none within 32 bytes.
    fn command(&mut self, number: u8, argument: u32, crc: u8) -> u8 {
        self.idle(1);
        self.card.select(true);
        for _ in 0..100_000 {
            if self.byte(0xFF) == 0xFF {
                break;
            }
        }
        self.byte(number | 0x40);
        for byte in argument.to_be_bytes() {
            self.byte(byte);
        }
        self.byte(crc);
        (0..32).map(|_| self.byte(0xFF)).find(|answer| *answer < 0x80).unwrap_or(0xFF)
    }

    /// Waits for a token; its value and the bytes it took.
    fn token(&mut self) -> (u8, u32) {
        for waited in 0..100_000 {
            let token = self.byte(0xFF);
            if token != 0xFF {
                return (token, waited);
            }
        }
        (0xFF, 100_000)
    }

    fn read(&mut self, block: u32) -> Vec<u8> {
        assert_eq!(self.command(17, block, 0xFF), 0);
        assert_eq!(self.token().0, DATA_TOKEN);
        (0..BLOCK_BYTES).map(|_| self.byte(0xFF)).collect()
    }

    fn write(&mut self, block: u32, value: u8) -> u8 {
        assert_eq!(self.command(24, block, 0xFF), 0);
        self.byte(DATA_TOKEN);
        for _ in 0..BLOCK_BYTES {
            self.byte(value);
        }
        self.byte(0xFF);
        self.byte(0xFF);
        self.byte(0xFF)
    }
}

#[test]
fn checksums_of_the_specification() {
    assert_eq!(crc7(&[0x40, 0, 0, 0, 0]) << 1 | 1, 0x95);
    assert_eq!(crc7(&[0x48, 0, 0, 1, 0xAA]) << 1 | 1, 0x87);
    assert_eq!(crc16(&[0xFF; 512]), 0x7FA1);
}

#[test]
fn initialisation_takes_its_time() {
    let mut host = Host::new();
    host.idle(10);
    assert_eq!(host.command(0, 0, 0x95), IDLE_STATE);
    assert_eq!(host.command(8, 0x1AA, 0x87), IDLE_STATE);
    let rest: Vec<u8> = (0..4).map(|_| host.byte(0xFF)).collect();
    assert_eq!(rest, [0, 0, 1, 0xAA]);
    assert_eq!(host.command(17, BOOT, 0xFF), IDLE_STATE | ILLEGAL_COMMAND);
    let start = host.now_ns;
    loop {
        host.command(55, 0, 0xFF);
        if host.command(41, 0x4000_0000, 0xFF) == 0 {
            break;
        }
    }
    let took = host.now_ns - start;
    assert!((20_000_000..22_000_000).contains(&took), "{took}");
    assert_eq!(host.command(58, 0, 0xFF), 0);
    assert_eq!(host.byte(0xFF), 0xC0, "high capacity");
}

#[test]
fn no_answer_before_74_clocks_or_before_command_0() {
    let mut host = Host::new();
    assert_eq!(host.command(0, 0, 0x95), 0xFF);
    let mut host = Host::new();
    host.idle(10);
    assert_eq!(host.command(58, 0, 0xFF), 0xFF);
    assert_eq!(host.command(0, 0, 0x95), IDLE_STATE);
}

#[test]
fn wrong_command_checksum() {
    let mut host = Host::ready();
    assert_eq!(host.command(8, 0x1AA, 0xFF), CRC_ERROR);
}

#[test]
fn read_delivers_data_and_checksum_after_the_access_time() {
    let mut host = Host::ready();
    assert_eq!(host.command(17, BOOT, 0xFF), 0);
    let (token, waited) = host.token();
    assert_eq!(token, DATA_TOKEN);
    assert!((2..=5).contains(&waited), "{waited}");
    let data: Vec<u8> = (0..BLOCK_BYTES).map(|_| host.byte(0xFF)).collect();
    assert_eq!(data, [0x5A; BLOCK_BYTES]);
    let crc = [host.byte(0xFF), host.byte(0xFF)];
    assert_eq!(crc, crc16(&data).to_be_bytes());
    assert_eq!(host.byte(0xFF), 0xFF);
    assert_eq!(host.read(0x123), [0; BLOCK_BYTES], "never written");
}

#[test]
fn write_is_busy_and_then_reads_back() {
    let mut host = Host::ready();
    assert_eq!(host.write(BOOT + 9, 0xC3) & 0x1F, DATA_ACCEPTED);
    assert!(host.card.busy(host.now_ns));
    assert_eq!(host.byte(0xFF), 0);
    assert_eq!(host.read(BOOT + 9), [0xC3; BLOCK_BYTES]);
    assert_eq!(host.card.transfers(), (1, 1));
}

#[test]
fn busy_can_be_polled_after_selecting_again() {
    let mut host = Host::ready();
    host.write(BOOT, 1);
    host.idle(1);
    host.card.select(true);
    assert_eq!(host.byte(0xFF), 0);
    host.now_ns += 250_000;
    assert_eq!(host.byte(0xFF), 0xFF);
}

#[test]
fn deselecting_ends_a_read() {
    let mut host = Host::ready();
    host.command(17, BOOT, 0xFF);
    host.token();
    assert_eq!(host.command(13, 0, 0xFF), 0);
    assert_eq!(host.byte(0xFF), 0);
    assert_eq!(host.byte(0xFF), 0xFF);
}

#[test]
fn commands_and_arguments_that_the_card_refuses() {
    let mut host = Host::ready();
    assert_eq!(host.command(18, BOOT, 0xFF), ILLEGAL_COMMAND);
    assert_eq!(host.command(41, 0, 0xFF), ILLEGAL_COMMAND, "without 55");
    assert_eq!(host.command(16, 1024, 0xFF), PARAMETER_ERROR);
    assert_eq!(host.command(17, u32::MAX, 0xFF), PARAMETER_ERROR);
    assert_eq!(host.write(1, 0), DATA_WRITE_ERROR, "below the image");
}

#[test]
fn data_checksums_count_once_switched_on() {
    let mut host = Host::ready();
    let argument_crc = crc7(&[59 | 0x40, 0, 0, 0, 1]) << 1 | 1;
    assert_eq!(host.command(59, 1, argument_crc), 0);
    let crc = crc7(&[24 | 0x40, 0, 8, 0, 4]) << 1 | 1;
    assert_eq!(host.command(24, BOOT, crc), 0);
    host.byte(DATA_TOKEN);
    for _ in 0..BLOCK_BYTES + 2 {
        host.byte(0);
    }
    assert_eq!(host.byte(0xFF), DATA_ACCEPTED, "zeros have checksum 0");
    assert_eq!(host.command(17, BOOT, 0xFF), CRC_ERROR);
}

#[test]
fn faults() {
    let mut absent = Host::new();
    absent.card.faults_mut().absent = true;
    absent.idle(10);
    assert_eq!(absent.command(0, 0, 0x95), 0xFF);

    let mut slow = Host::new();
    slow.card.faults_mut().never_ready = true;
    slow.idle(10);
    slow.command(0, 0, 0x95);
    for _ in 0..1_000 {
        slow.command(55, 0, 0xFF);
        assert_eq!(slow.command(41, 0x4000_0000, 0xFF), IDLE_STATE);
    }

    let mut host = Host::ready();
    host.card.faults_mut().read_error = Some(BOOT);
    host.command(17, BOOT, 0xFF);
    assert_eq!(host.token().0, READ_ERROR_TOKEN);
    assert_eq!(host.byte(0xFF), 0xFF);

    host.card.faults_mut().write_error = Some(BOOT + 1);
    assert_eq!(host.write(BOOT + 1, 0), DATA_WRITE_ERROR);
    assert!(!host.card.busy(host.now_ns));

    host.card.faults_mut().flipped_bit = Some(BOOT + 2);
    assert_eq!(host.read(BOOT + 2)[0], 1);
    assert_eq!([host.byte(0xFF), host.byte(0xFF)], [0, 0]);

    host.card.faults_mut().busy_forever = true;
    host.write(BOOT, 0);
    host.now_ns += 10_000_000_000;
    assert_eq!(host.byte(0xFF), 0);
    assert_eq!(host.card.busy_until_ns(), None);
}

#[test]
fn a_power_cycle_keeps_only_the_contents() {
    let mut host = Host::ready();
    host.write(BOOT, 3);
    host.card.power_cycle();
    assert_eq!(host.command(17, BOOT, 0xFF), 0xFF);
    assert_eq!(host.card.image().read(BOOT), [3; BLOCK_BYTES]);
}
