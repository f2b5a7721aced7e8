// A Raspberry Pi Pico without a case: the firmware in flash, what its bootloader in ROM would do at the
// start, and the pins of the radio.

import { readFileSync } from 'node:fs';
import { GPIOPinState, RP2040 } from 'rp2040js';

const FLASH = 0x10000000;
const BOOT2_RAM = 0x20041f00;
const BOOT2_BYTES = 256;
const UF2_BLOCK = 512;
const UF2_MAGIC = [0x0a324655, 0x9e5d5157];
const ROM_TABLE = 0x80;
const ROM_LOOKUP = 0x20;
const ROM_REBOOT = 0x30;
const BKPT_REBOOT = 0xbe42;

/** Pins of docs/dongle.md. */
export const PINS = { csn: 17, ce: 20, irq: 21 };
/** One cycle at the 125 MHz that the firmware sets. */
const CYCLE_NS = 8;

/** Puts the blocks of a UF2 file into flash, as the bootloader's drive does. */
function flash(mcu, path) {
  const file = readFileSync(path);
  for (let at = 0; at + UF2_BLOCK <= file.length; at += UF2_BLOCK) {
    const word = (offset) => file.readUInt32LE(at + offset);
    if (word(0) !== UF2_MAGIC[0] || word(4) !== UF2_MAGIC[1]) {
      throw new Error(`${path}: no UF2 block at ${at}`);
    }
    mcu.flash.set(file.subarray(at + 32, at + 32 + word(16)), word(12) - FLASH);
  }
}

/** The ROM starts nothing whose second stage has a wrong sum: CRC-32/MPEG-2. */
function check(stage) {
  let crc = 0xffffffff;
  for (const byte of stage.subarray(0, BOOT2_BYTES - 4)) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    }
  }
  const sum = new DataView(stage.buffer, stage.byteOffset).getUint32(BOOT2_BYTES - 4, true);
  if (crc >>> 0 !== sum) {
    throw new Error('the second stage of the bootloader has a wrong sum: the ROM would not start it');
  }
}

/** The one function of the ROM that the firmware calls: back to the bootloader. */
function rom() {
  const rom = new Uint32Array(4096);
  const half = (address, value) => {
    const shift = (address & 2) * 8;
    rom[address >> 2] = (rom[address >> 2] & ~(0xffff << shift)) | (value << shift);
  };
  half(0x14, ROM_TABLE);
  half(0x18, ROM_LOOKUP | 1);
  // Whatever is looked up: movs r0, #ROM_REBOOT | 1; bx lr
  half(ROM_LOOKUP, 0x2000 | ROM_REBOOT | 1);
  half(ROM_LOOKUP + 2, 0x4770);
  half(ROM_REBOOT, BKPT_REBOOT);
  return rom;
}

/** The processor with its flash, and time. */
export class Pico {
  constructor(firmware, radio) {
    const mcu = (this.mcu = new RP2040());
    this.clock = mcu.clock;
    this.rebooted = false;
    const silent = () => {};
    mcu.logger = { debug: silent, info: silent, warn: silent, error: silent };
    mcu.onBreak = () => (this.rebooted = true);
    mcu.loadBootrom(rom());
    flash(mcu, firmware);
    const stage = mcu.flash.slice(0, BOOT2_BYTES);
    check(stage);
    // As the ROM does: the second stage runs from RAM, and a link register of 0 says who calls it.
    mcu.sram.set(stage, BOOT2_RAM - 0x20000000);
    mcu.core.registers[13] = BOOT2_RAM;
    mcu.core.registers[14] = 0;
    mcu.core.PC = BOOT2_RAM;
    this.wire(radio);
  }

  /** SPI0 and the three other pins of the radio. */
  wire(radio) {
    const { mcu, clock } = this;
    const spi = mcu.spi[0];
    let sent = 0;
    const shifted = clock.createAlarm(() => spi.completeTransmit(radio.transfer(clock.nanos, sent)));
    spi.onTransmit = (byte) => {
      sent = byte;
      shifted.schedule((8 * 1e9) / spi.clockFrequency);
    };
    const follow = (pin, tell) =>
      mcu.gpio[pin].addListener((state) => {
        if (state === GPIOPinState.High || state === GPIOPinState.Low) {
          tell(clock.nanos, state === GPIOPinState.High);
        }
      });
    follow(PINS.csn, (at, high) => radio.select(at, !high));
    follow(PINS.ce, (at, high) => radio.enable(at, high));
    this.interrupt(false);
  }

  /** The radio pulls its IRQ pin low, or lets it go. */
  interrupt(asserted) {
    if (this.asserted !== asserted) {
      this.asserted = asserted;
      this.mcu.gpio[PINS.irq].setInputValue(!asserted);
    }
  }

  /** When it next does something by itself; infinite if only something from outside can wake it. */
  wake() {
    const { core } = this.mcu;
    if (this.rebooted) return Infinity;
    if (!core.waiting) return this.clock.nanos;
    return this.clock.nextAlarm === null ? Infinity : this.clock.nextAlarm.nanos;
  }

  /** Runs until a moment, or until `stop` says that something else comes first. */
  run(until, stop) {
    const { core } = this.mcu;
    const { clock } = this;
    while (!this.rebooted) {
      const end = Math.min(until, stop());
      if (clock.nanos >= end) return;
      if (core.waiting) {
        clock.tick(Math.min(end, this.wake()) - clock.nanos);
      } else {
        clock.tick(core.executeInstruction() * CYCLE_NS);
      }
    }
    clock.tick(Math.max(0, until - clock.nanos));
  }
}
