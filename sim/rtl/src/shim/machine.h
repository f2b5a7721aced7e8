// A Verilated machine as Rust sees it: counters, trace, and what follows every edge of its pins: the
// serial line and the shift registers of the two SPI slaves. Bytes go to Rust and come from there.
//
// What is the same for every model stands here and in machine.cpp; model.h adds the clock loop.

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

// What the callback is told; the numbers are those of ffi.rs.
enum Event : uint32_t {
    kCardSelect = 0,
    kCardBegin = 1,
    kCardEnd = 2,
    kRadioSelect = 3,
    kRadioBegin = 4,
    kRadioEnd = 5,
    kRadioEnable = 6,
    // With the SDRAM's address, bank and command from bit 8 up; see ulx3s.cpp.
    kSdram = 7,
};

// Answers with a byte in bits 7..0; bit 8: the radio's interrupt line is asserted.
using Callback = uint32_t (*)(void* context, uint32_t event, uint64_t cycle, uint32_t value);

// One retired instruction or one event, as ffi.rs reads it.
struct Record {
    uint32_t pc;
    uint32_t value;
    uint32_t h;
    uint32_t addr;
    uint32_t store_addr;
    uint32_t store_value;
    uint64_t cycle;
    uint8_t kind;  // 0 instruction, 1 interrupt, 2 abort
    uint8_t number;
    uint8_t write;
    uint8_t flags;
    uint8_t memory;
    uint8_t store_lanes;
    uint8_t spare[2];
    // Cycles since the last record in which a board's memory held the core, by reason; see ffi.rs.
    uint16_t waits[6];
};

// SPI slave, mode 0: takes bits at rising edges, changes its output at falling ones.
struct Slave {
    bool selected = false;
    unsigned bits = 0;
    uint8_t in = 0;
    uint8_t out = 0xFF;
    bool line = true;
};

// Asynchronous sender and receiver, ten bits a character.
struct Line {
    uint64_t bit_cycles = 434;
    std::deque<uint16_t> to_send;  // stop bit in bit 8
    unsigned sending = 0;          // bits left
    uint16_t frame = 0;
    uint64_t next_bit = 0;
    bool level = true;  // toward the machine
    std::vector<uint8_t> received;
    unsigned receiving = 0;  // bits left
    uint16_t taken = 0;
    uint64_t sample_at = 0;
    uint64_t framing_errors = 0;

    bool rests() const { return sending == 0 && to_send.empty() && receiving == 0; }
};

// Levels that the harness drives.
struct Inputs {
    uint32_t reset = 0, switches = 0;
    bool radio_irq = false;
};

struct Machine {
    Callback callback = nullptr;
    void* user = nullptr;
    uint64_t cycle = 0;
    uint64_t instructions = 0;
    uint64_t stalls[7] = {};
    Slave card, radio;
    Line line;
    Inputs inputs;
    uint32_t pins = 0;
    // A device was told something: when its pins change next has to be asked again.
    bool told = false;
    // Random waits and interrupts, in 1/65536 of cycles.
    uint32_t i_wait = 0, d_wait = 0, irq_rate = 0;
    uint64_t random = 1;
    // A further interrupt edge in this cycle.
    uint64_t irq_at = 0;
    // Cycles that the machine has waited in the idle word while no level from outside changed; whether
    // such waits are skipped, and how many cycles were.
    uint64_t idle_for = 0;
    bool skips = true;
    uint64_t skipped = 0;
    // Cycles in which the machine waited in the idle word, skipped or not.
    uint64_t idle_cycles = 0;
    uint64_t millisecond = 50000, microsecond = 50;  // cycles
    // Trace.
    bool tracing = false;
    uint64_t trace_limit = 0;
    std::vector<Record> records;
    uint32_t store_addr = 0, store_value = 0;
    uint8_t store_lanes = 0;
    uint16_t waits[6] = {};

    virtual ~Machine() = default;
    // At most `cycles`; fewer if the trace is full or a device was told something.
    virtual void run(uint64_t cycles) = 0;
    // Exactly `cycles`, counting why no instruction entered execute.
    virtual void profile(uint64_t cycles) = 0;
    virtual uint32_t* ram() = 0;
    virtual uint32_t* prom() = 0;
    virtual uint32_t leds() const = 0;
    virtual bool idle() const = 0;
    // Cycles for which nothing but timers moves; 0 if something may.
    virtual uint64_t quiet() const = 0;
    // Writes a waveform from now on; a null name ends it. Only the traced model does.
    virtual bool waveform(const char* path) { return path == nullptr; }

    bool trace_full() const { return tracing && records.size() >= trace_limit; }
    uint32_t dice();
    // Bits: 0 SPI clock, 1 card select, 2 radio select (both low active), 3 radio CE.
    void pins_changed(uint32_t now, bool mosi);
    // A cycle of the serial line whose machine's end is at `tx`.
    void line_step(bool tx);

   private:
    uint32_t call(Event event, uint32_t value);
    void start_byte(Slave& slave, Event begin);
    void select(Slave& slave, bool selected, Event event, Event begin);
    void clock_edge(Slave& slave, bool rising, bool mosi, Event begin, Event end, bool always);
};

// Our machine; the compatible one; ours with waveforms; a board's top.
Machine* new_ours();
Machine* new_compat();
Machine* new_traced();
// By its plain name: such a board may also come from a library.
extern "C" Machine* new_ulx3s();
