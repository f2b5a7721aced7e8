//! Memory map: byte addresses, 24 bits wide.
//!
//! ```text
//! 000000H  abort vector, interrupt vector, words shared by boot loader and kernel
//! 000020H  module table: trap branch, then the data address of each module
//! 000100H  modules, upward
//! 080000H  stack, downward; heap, upward
//! 0E7F00H  framebuffer, 98,304 bytes
//! 100000H  end of RAM
//! FFC000H  PROM window, instruction fetch only
//! FFFFC0H  sixteen I/O words
//! ```

/// Bytes of RAM (1 MiB); data addresses below [`IO_BASE`] wrap at it.
pub const RAM_BYTES: u32 = 0x10_0000;
/// Words of RAM.
pub const RAM_WORDS: usize = RAM_BYTES as usize / 4;
/// Width of an address on the bus.
pub const ADDRESS_MASK: u32 = 0xFF_FFFF;
/// Width of the program counter, which counts words.
pub const PC_MASK: u32 = 0x3F_FFFF;

/// The abort handler's branch; reset of a running machine and watchdog expiry enter here.
pub const ABORT_VECTOR: u32 = 0;
/// Where an accepted interrupt continues.
pub const INTERRUPT_VECTOR: u32 = 4;
/// Memory limit, written by the boot loader.
pub const MEM_LIM_AT: u32 = 12;
/// End of the module space; in a boot image the end of the image.
pub const ALLOC_PTR_AT: u32 = 16;
/// Address of the newest module's descriptor.
pub const ROOT_AT: u32 = 20;
/// Stack origin, written by the boot loader.
pub const STACK_ORG_AT: u32 = 24;
/// Module table. Entry 0 is the trap branch, entry n the data address of module n.
pub const MODULE_TABLE: u32 = 0x20;
/// Most modules that the table has room for: entries 1..=55.
pub const MODULES_MAX: u32 = 55;
/// First module descriptor.
pub const MODULES_AT: u32 = 0x100;
/// Bytes of a module descriptor.
pub const DESCRIPTOR_BYTES: u32 = 80;

/// Initial stack pointer and start of the heap.
pub const STACK_ORG: u32 = 0x8_0000;
/// End of the heap.
pub const MEM_LIM: u32 = 0xE_7EF0;

/// Framebuffer: 1 bit a pixel, rows bottom-up, 32 words a row, bit 0 leftmost, 1 = black.
pub const FRAMEBUFFER: u32 = 0xE_7F00;
/// Bytes of the framebuffer.
pub const FRAMEBUFFER_BYTES: u32 = FRAMEBUFFER_WIDTH * FRAMEBUFFER_HEIGHT / 8;
/// Pixels in a row.
pub const FRAMEBUFFER_WIDTH: u32 = 1024;
/// Rows.
pub const FRAMEBUFFER_HEIGHT: u32 = 768;

/// Instruction fetches from here to [`ADDRESS_MASK`] go to the PROM, aliased over the window.
pub const PROM_WINDOW: u32 = 0xFF_C000;
/// Program counter after reset, a byte address inside the window.
pub const RESET_PC: u32 = 0xFF_E000;
/// Words of PROM in our machine.
pub const PROM_WORDS: usize = 2048;
/// Words of PROM in the reference machine.
pub const PROM_WORDS_COMPAT: usize = 512;

/// First I/O word; word n is at `IO_BASE + 4 n` ([`crate::io`]).
pub const IO_BASE: u32 = 0xFF_FFC0;

/// First card block of the file system and boot area, in 512-byte blocks.
pub const CARD_OBERON_BLOCK: u32 = 0x8_0000;
/// First card block of the boot area: sector 2 of the file system.
pub const CARD_BOOT_BLOCK: u32 = CARD_OBERON_BLOCK + 4;
/// Bytes of a card block.
pub const CARD_BLOCK_BYTES: u32 = 512;
