// The dongle in a lab: its processor here, its radio chip and its host there. Speaks over standard input
// and output with sim/lab/src/dongle.rs, byte by byte, in machine time:
//
//   lab:  R until event asserted        run to `until`, at most to `event`, when the IRQ pin may change
//         O length bytes                the host sends that
//         H reads                       the host goes on reading (1) or stops (0)
//   here: S at selected                 CSN; answered by A if it was raised
//         T at byte                     a byte was shifted; answered by B
//         C at level                    CE
//         U length bytes                the host has read that
//         I length text                 the host has enumerated it: JSON
//         D at wake rebooted            done, asleep until `wake`
//   lab:  A event asserted              when the IRQ pin may change next, and how it is now
//         B byte
//
// Times are nanoseconds as float64, lengths uint16, low byte first.

import { readSync, writeSync } from 'node:fs';
import { Host } from './host.mjs';
import { Pico } from './pico.mjs';

let pending = Buffer.alloc(0);
function need(count) {
  while (pending.length < count) {
    const chunk = Buffer.alloc(65536);
    const read = readSync(0, chunk);
    // The lab is over.
    if (read === 0) process.exit(0);
    pending = Buffer.concat([pending, chunk.subarray(0, read)]);
  }
  const bytes = pending.subarray(0, count);
  pending = pending.subarray(count);
  return bytes;
}

let out = [];
const say = (kind, length = 0) => {
  const bytes = Buffer.alloc(1 + length);
  bytes.write(kind, 0);
  out.push(bytes);
  return bytes;
};
const flush = () => {
  const bytes = Buffer.concat(out);
  out = [];
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};
const at = (kind, nanos, value) => {
  const bytes = say(kind, 9);
  bytes.writeDoubleLE(nanos, 1);
  bytes.writeUInt8(Number(value), 9);
};
const long = (kind, payload) => {
  say(kind, 2).writeUInt16LE(payload.length, 1);
  out.push(Buffer.from(payload));
};

let event = Infinity;
function interrupt() {
  event = need(8).readDoubleLE();
  pico.interrupt(need(1)[0] !== 0);
}

const radio = {
  select(nanos, selected) {
    at('S', nanos, selected);
    if (!selected) {
      flush();
      need(1);
      interrupt();
    }
  },
  transfer(nanos, byte) {
    at('T', nanos, byte);
    flush();
    return need(2)[1];
  },
  enable(nanos, level) {
    at('C', nanos, level);
  },
};

const pico = new Pico(process.argv[2], radio);
const host = new Host(pico, (bytes) => long('U', bytes));
let told = false;

for (;;) {
  const kind = String.fromCharCode(need(1)[0]);
  if (kind === 'R') {
    const until = need(8).readDoubleLE();
    interrupt();
    pico.run(until, () => event);
    if (host.known !== null && !told) {
      told = true;
      long('I', Buffer.from(JSON.stringify(host.known)));
    }
    const bytes = say('D', 17);
    bytes.writeDoubleLE(pico.clock.nanos, 1);
    bytes.writeDoubleLE(pico.wake(), 9);
    bytes.writeUInt8(Number(pico.rebooted), 17);
    flush();
  } else if (kind === 'O') {
    host.send(need(need(2).readUInt16LE()));
  } else if (kind === 'H') {
    host.read(need(1)[0] !== 0);
  } else {
    throw new Error(`unknown: ${kind}`);
  }
}
