//! The host's side: lines over USB.

use heapless::spsc::Consumer;
use kube_proto::dongle::{Collector, Frame, FromDongle, FromHost, LINE_MAX};
use rp2040_hal::usb::UsbBus;
use usb_device::device::UsbDevice;
use usbd_serial::SerialPort;

type Port = SerialPort<'static, UsbBus, [u8; 256], [u8; 512]>;

/// A line on its way to the host.
#[derive(Clone, Copy)]
struct Line {
    bytes: [u8; LINE_MAX],
    len: usize,
    sent: usize,
}

impl Line {
    const NONE: Self = Self { bytes: [0; LINE_MAX], len: 0, sent: 0 };

    fn new(message: &FromDongle) -> Self {
        let (bytes, len) = message.line();
        Self { bytes, len, sent: 0 }
    }

    const fn over(&self) -> bool {
        self.sent == self.len
    }
}

/// The serial port that the host sees.
pub struct Link {
    serial: Port,
    device: UsbDevice<'static, UsbBus>,
    waiting: Consumer<'static, Frame>,
    collector: Collector,
    /// Bytes from the host that were not looked at yet.
    incoming: [u8; 64],
    from: usize,
    to: usize,
    line: Line,
    answer: Line,
    /// Frames sent since it was tuned.
    number: u32,
    damaged: u32,
}

impl Link {
    /// Over these.
    pub fn new(
        serial: Port,
        device: UsbDevice<'static, UsbBus>,
        waiting: Consumer<'static, Frame>,
    ) -> Self {
        Self {
            serial,
            device,
            waiting,
            collector: Collector::new(),
            incoming: [0; 64],
            from: 0,
            to: 0,
            line: Line::NONE,
            answer: Line::NONE,
            number: 0,
            damaged: 0,
        }
    }

    /// Lets USB do what is to be done.
    pub fn poll(&mut self) {
        self.device.poll(&mut [&mut self.serial]);
    }

    /// The next message of the host; `Some(None)` for one that cannot be read. Waits until the answer
    /// to the one before has left.
    pub fn receive(&mut self) -> Option<Option<FromHost>> {
        while self.answer.over() {
            if self.from == self.to {
                (self.from, self.to) = (0, self.serial.read(&mut self.incoming).ok()?);
            }
            let byte = *self.incoming.get(self.from)?;
            self.from += 1;
            match self.collector.push(byte) {
                Ok(None) => {}
                Ok(Some(body)) => return Some(FromHost::parse(body)),
                Err(_) => {
                    self.damaged = self.damaged.saturating_add(1);
                    return Some(None);
                }
            }
        }
        None
    }

    /// Puts an answer in front of all frames that wait.
    pub fn answer(&mut self, message: &FromDongle) {
        self.answer = Line::new(message);
        self.send();
    }

    /// Forgets the frames that wait.
    pub fn forget(&mut self) {
        while self.waiting.dequeue().is_some() {}
        self.number = 0;
    }

    /// Lines that were no messages.
    pub const fn damaged(&self) -> u32 {
        self.damaged
    }

    /// Sends as much as USB takes.
    pub fn send(&mut self) {
        loop {
            if self.line.over() {
                if !self.answer.over() {
                    self.line = core::mem::replace(&mut self.answer, Line::NONE);
                } else if let Some(frame) = self.waiting.dequeue() {
                    let frame = Frame { number: self.number, ..frame };
                    self.number = self.number.wrapping_add(1);
                    self.line = Line::new(&FromDongle::Frame(frame));
                } else {
                    return;
                }
            }
            match self.serial.write(&self.line.bytes[self.line.sent..self.line.len]) {
                Ok(count) if count > 0 => self.line.sent += count,
                _ => return,
            }
        }
    }
}
