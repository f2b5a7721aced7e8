// The USB host: enumerates the dongle as an operating system does, then reads and writes its serial port.
// It can stop reading for a while, as a busy computer does.

/** A packet of 64 bytes with its token and handshake at 12 Mbit/s, at most 19 in a frame of 1 ms. */
const PACKET_NS = 1e6 / 19;
/** In the controller's memory: what belongs to whom, two words for each endpoint, the first for IN. */
const BUFFER_CONTROL = 0x80;
const AVAILABLE = 1 << 10;

const setup = (type, request, value, index, length) =>
  new Uint8Array([type, request, value & 255, value >> 8, index & 255, index >> 8, length & 255, length >> 8]);
const descriptor = (type, at, length) => setup(0x80, 6, (type << 8) | at, type === 3 ? 0x409 : 0, length);

export class Host {
  constructor(pico, heard) {
    this.usb = pico.mcu.usbCtrl;
    this.heard = heard;
    this.reads = true;
    this.toSend = [];
    this.rooms = [];
    this.held = null;
    this.known = null;
    this.taken = pico.clock.createAlarm(() => this.take());
    const { usb } = this;
    // The emulator calls a packet sent as soon as the firmware gives it away. Here it stays with the
    // controller until the host takes it.
    this.sent = usb.DPRAMUpdated.bind(usb);
    usb.DPRAMUpdated = (offset, value) => {
      if (offset !== BUFFER_CONTROL + 8 * this.input || !(value & AVAILABLE)) {
        this.sent(offset, value);
        return;
      }
      this.held = [offset, value];
      this.await();
    };
    usb.onUSBEnabled = () => usb.resetDevice();
    usb.onResetReceived = () => {
      this.steps = this.enumerate();
      this.ask(this.steps.next());
    };
    usb.onEndpointWrite = (endpoint, bytes) => {
      if (endpoint === 0) this.answered(bytes);
      else if (endpoint === this.input && bytes.length > 0) this.heard(bytes);
    };
    usb.onEndpointRead = (endpoint, room) => {
      // The firmware makes room before anybody knows which endpoint is which.
      this.rooms[endpoint] = room;
      if (endpoint === this.output) this.push();
    };
  }

  *enumerate() {
    yield [setup(0, 5, 1, 0, 0)];
    const device = yield [descriptor(1, 0, 18), 18];
    const head = yield [descriptor(2, 0, 9), 9];
    const total = head[2] | (head[3] << 8);
    this.endpoints(yield [descriptor(2, 0, total), total]);
    const names = [];
    for (const at of [device[14], device[15], device[16]]) {
      const text = yield [descriptor(3, at, 255), 255];
      names.push(String.fromCharCode(...text.filter((_, i) => i >= 2 && i % 2 === 0)));
    }
    yield [setup(0, 9, 1, 0, 0)];
    yield [setup(0x21, 0x22, 3, 0, 0)];
    const number = (at) => device[at] | (device[at + 1] << 8);
    this.known = { vendor: number(8), product: number(10), names };
  }

  /** Finds the bulk endpoints of the interface of class 10. */
  endpoints(bytes) {
    let data = false;
    for (let at = 0; at + 2 <= bytes.length && bytes[at] > 0; at += bytes[at]) {
      if (bytes[at + 1] === 4) data = bytes[at + 5] === 10;
      if (bytes[at + 1] === 5 && data) {
        const address = bytes[at + 2];
        if (address & 128) this.input = address & 15;
        else this.output = address;
      }
    }
  }

  ask({ value, done }) {
    if (done) return;
    const [packet, length = 0] = value;
    this.wanted = length;
    this.answer = [];
    this.usb.sendSetupPacket(packet);
  }

  answered(bytes) {
    this.answer.push(...bytes);
    if (bytes.length < 64 || this.answer.length >= this.wanted) this.ask(this.steps.next(this.answer));
  }

  /** The packet that is held is taken in its turn. */
  await() {
    if (this.reads && this.held !== null) this.taken.schedule(PACKET_NS);
  }

  take() {
    if (!this.reads || this.held === null) return;
    const held = this.held;
    this.held = null;
    this.sent(...held);
  }

  /** Goes on reading, or stops. */
  read(reads) {
    this.reads = reads;
    this.await();
  }

  /** Sends to the dongle. */
  send(bytes) {
    this.toSend.push(...bytes);
    this.push();
  }

  push() {
    const room = this.rooms[this.output] ?? 0;
    if (room > 0 && this.toSend.length > 0) {
      const packet = new Uint8Array(this.toSend.splice(0, room));
      this.rooms[this.output] = 0;
      this.usb.endpointReadDone(this.output, packet);
    }
  }
}
