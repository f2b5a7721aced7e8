//! Firmware of a USB dongle that listens to the air: an RP2040 with an nRF24L01+ (wiring, commands and
//! limits: docs/dongle.md). Not yet run on hardware; tested in an emulator of the RP2040.
//!
//! Four tasks, the more urgent ones first:
//!
//! | task | interrupt | does |
//! |---|---|---|
//! | `arrive` | the chip's IRQ pin | notes the time, nothing else |
//! | `read` | a spare one, pended by `arrive` | frames from the chip into the queue |
//! | `talk` | USB | frames from the queue to the host, and its commands |
//! | `look_after` | timer, twice a second | is the chip still as it was set up? |
//!
//! The chip holds three frames and the queue [`QUEUE`], so that a host may be away for 300 ms with frames
//! back to back at 2 Mbit/s. In between the processor sleeps.

#![no_std]
#![no_main]

mod hearing;
mod link;

use panic_reset as _;

/// Frames that wait for the host; one less than the array.
pub const QUEUE: usize = 2048;

#[rtic::app(device = rp2040_hal::pac)]
mod app {
    use crate::QUEUE;
    use crate::hearing::{Arrivals, Csn, Hearing, SPI_HZ};
    use crate::link::Link;
    use embedded_hal_bus::spi::ExclusiveDevice;
    use heapless::spsc::{Producer, Queue};
    use kube_proto::dongle::{
        BOOTLOADER, Frame, FromDongle, FromHost, TUNE, USB_MAKER, USB_NAME, USB_PRODUCT, USB_VENDOR,
    };
    use nrf24::Listener;
    use rp2040_hal::clocks::init_clocks_and_plls;
    use rp2040_hal::fugit::{ExtU32, RateExtU32};
    use rp2040_hal::gpio::bank0::Gpio21;
    use rp2040_hal::gpio::{FunctionSioInput, FunctionSpi, Interrupt as PinEvent, Pin, PullUp};
    use rp2040_hal::pac::Interrupt;
    use rp2040_hal::timer::{Alarm, Alarm0};
    use rp2040_hal::usb::UsbBus;
    use rp2040_hal::{Clock, Sio, Spi, Timer, Watchdog, rom_data};
    use usb_device::bus::UsbBusAllocator;
    use usb_device::device::{StringDescriptors, UsbDeviceBuilder, UsbVidPid};
    use usbd_serial::{SerialPort, USB_CLASS_CDC};

    /// Crystal of the Pico.
    const CRYSTAL_HZ: u32 = 12_000_000;
    /// How often the chip's registers are compared.
    const LOOK_MS: u32 = 500;
    /// The serial number, which is the dongle's name.
    const NAME: &str = match option_env!("KUBE_DONGLE_NAME") {
        Some(name) => name,
        None => "kube",
    };

    #[shared]
    struct Shared {
        hearing: Hearing,
    }

    #[local]
    struct Local {
        irq: Pin<Gpio21, FunctionSioInput, PullUp>,
        arrived: Producer<'static, u64>,
        frames: Producer<'static, Frame>,
        link: Link,
        alarm: Alarm0,
        timer: Timer,
    }

    #[init(local = [
        bus: Option<UsbBusAllocator<UsbBus>> = None,
        arrivals: Queue<u64, 8> = Queue::new(),
        queue: Queue<Frame, QUEUE> = Queue::new(),
    ])]
    fn init(context: init::Context) -> (Shared, Local) {
        let mut device = context.device;
        let mut watchdog = Watchdog::new(device.WATCHDOG);
        // Without a crystal there is no USB to say so on.
        let Ok(clocks) = init_clocks_and_plls(
            CRYSTAL_HZ,
            device.XOSC,
            device.CLOCKS,
            device.PLL_SYS,
            device.PLL_USB,
            &mut device.RESETS,
            &mut watchdog,
        ) else {
            panic!()
        };
        let timer = Timer::new(device.TIMER, &mut device.RESETS, &clocks);
        let mut for_alarm = timer;
        let Some(mut alarm) = for_alarm.alarm_0() else { panic!() };
        alarm.enable_interrupt();
        let _ = alarm.schedule(LOOK_MS.millis());

        let sio = Sio::new(device.SIO);
        let pins = rp2040_hal::gpio::Pins::new(
            device.IO_BANK0,
            device.PADS_BANK0,
            sio.gpio_bank0,
            &mut device.RESETS,
        );
        let lines = (
            pins.gpio19.into_function::<FunctionSpi>(),
            pins.gpio16.into_function::<FunctionSpi>(),
            pins.gpio18.into_function::<FunctionSpi>(),
        );
        let spi = Spi::<_, _, _, 8>::new(device.SPI0, lines).init(
            &mut device.RESETS,
            clocks.peripheral_clock.freq(),
            SPI_HZ.Hz(),
            embedded_hal::spi::MODE_0,
        );
        let csn = pins.gpio17.into_push_pull_output_in_state(rp2040_hal::gpio::PinState::High);
        let ce = pins.gpio20.into_push_pull_output_in_state(rp2040_hal::gpio::PinState::Low);
        let irq = pins.gpio21.into_pull_up_input();
        irq.set_interrupt_enabled(PinEvent::EdgeLow, true);
        let Ok(spi) = ExclusiveDevice::new_no_delay(spi, Csn(csn));
        let (arrived, arrivals) = context.local.arrivals.split();
        let hearing = Hearing::new(Listener::new(spi, ce, timer), Arrivals::new(arrivals), timer);
        let (frames, waiting) = context.local.queue.split();

        let bus = context.local.bus.insert(UsbBusAllocator::new(UsbBus::new(
            device.USBCTRL_REGS,
            device.USBCTRL_DPRAM,
            clocks.usb_clock,
            true,
            &mut device.RESETS,
        )));
        let serial = SerialPort::new_with_store(bus, [0; 256], [0; 512]);
        let names = StringDescriptors::default()
            .manufacturer(USB_MAKER)
            .product(USB_NAME)
            .serial_number(NAME);
        let builder = UsbDeviceBuilder::new(bus, UsbVidPid(USB_VENDOR, USB_PRODUCT));
        let builder = builder.device_class(USB_CLASS_CDC).strings(&[names]);
        let Ok(builder) = builder.and_then(|b| b.max_packet_size_0(64)) else { panic!() };
        let link = Link::new(serial, builder.build(), waiting);

        (Shared { hearing }, Local { irq, arrived, frames, link, alarm, timer })
    }

    /// Nothing to do: sleeps until an interrupt.
    #[idle]
    fn idle(_context: idle::Context) -> ! {
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// A frame has arrived: notes when.
    #[task(binds = IO_IRQ_BANK0, priority = 4, local = [irq, arrived, timer])]
    fn arrive(context: arrive::Context) {
        context.local.irq.clear_interrupt(PinEvent::EdgeLow);
        let _ = context.local.arrived.enqueue(context.local.timer.get_counter().ticks());
        rtic::pend(Interrupt::SW0_IRQ);
    }

    /// Takes frames out of the chip.
    #[task(binds = SW0_IRQ, priority = 3, shared = [hearing], local = [frames])]
    fn read(mut context: read::Context) {
        let frames = context.local.frames;
        if context.shared.hearing.lock(|hearing| hearing.read(frames)) {
            rtic::pend(Interrupt::USBCTRL_IRQ);
        }
    }

    /// The host's commands and what there is for it.
    #[task(binds = USBCTRL_IRQ, priority = 1, shared = [hearing], local = [link])]
    fn talk(mut context: talk::Context) {
        let link = context.local.link;
        link.poll();
        while let Some(message) = link.receive() {
            let answer = context.shared.hearing.lock(|hearing| match message {
                Some(FromHost::Identify) => FromDongle::Identity(hearing.identity()),
                Some(FromHost::Count) => FromDongle::Statistics(hearing.statistics(link.damaged())),
                Some(FromHost::Tune(settings)) => {
                    link.forget();
                    if hearing.tune(&settings) {
                        FromDongle::Identity(hearing.identity())
                    } else {
                        FromDongle::Refused(TUNE)
                    }
                }
                Some(FromHost::Bootloader) => {
                    // The ROM does not come back.
                    rom_data::reset_to_usb_boot(0, 0);
                    FromDongle::Refused(BOOTLOADER)
                }
                None => FromDongle::Refused(0),
            });
            link.answer(&answer);
        }
        link.send();
    }

    /// The chip may have lost its settings, or an edge may have been missed.
    #[task(binds = TIMER_IRQ_0, priority = 2, shared = [hearing], local = [alarm])]
    fn look_after(mut context: look_after::Context) {
        context.local.alarm.clear_interrupt();
        let _ = context.local.alarm.schedule(LOOK_MS.millis());
        context.shared.hearing.lock(Hearing::look_after);
        rtic::pend(Interrupt::SW0_IRQ);
    }
}
