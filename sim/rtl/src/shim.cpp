// The clock loop around the Verilated machine, with what has to follow every edge: the serial line
// and the shift registers of the two SPI slaves. Bytes go to Rust and come from there.
//
// A cycle: inputs are set while the clock is low, outputs are looked at, then the clock rises.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vsim.h"
#include "Vsim___024root.h"
#include "verilated.h"

namespace {

// What the callback is told; the numbers are those of ffi.rs.
enum Event : uint32_t {
    kCardSelect = 0,
    kCardBegin = 1,
    kCardEnd = 2,
    kRadioSelect = 3,
    kRadioBegin = 4,
    kRadioEnd = 5,
    kRadioEnable = 6,
};

// Answers with a byte in bits 7..0; bit 8: the radio's interrupt line is asserted; bit 9: the
// card holds its data line low between bytes.
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
    std::deque<uint8_t> to_send;
    unsigned sending = 0;  // bits left
    uint16_t frame = 0;
    uint64_t next_bit = 0;
    std::vector<uint8_t> received;
    unsigned receiving = 0;  // bits left
    uint16_t taken = 0;
    uint64_t sample_at = 0;
    uint64_t framing_errors = 0;
};

// One thread a machine: without this Verilator starts a worker for every context.
struct Context : VerilatedContext {
    Context() { threads(1); }
};

// Verilator reaches some state through a thread-local pointer to a context. It must be the machine's
// while its code runs, destructors included, and must not outlive the machine.
struct Entered {
    explicit Entered(VerilatedContext& context) { Verilated::threadContextp(&context); }
    ~Entered() {
        static auto* const rest = new Context;
        Verilated::threadContextp(rest);
    }
};

struct Machine {
    Context context;
    Vsim top{&context, "sim"};
    Callback callback = nullptr;
    void* user = nullptr;
    uint64_t cycle = 0;
    uint64_t instructions = 0;
    uint64_t stalls[7] = {};
    Slave card, radio;
    Line line;
    uint32_t pins = 0;
    bool irq = false;
    // A device was told something: when its pins change next has to be asked again.
    bool told = false;
    // Random waits and interrupts, in 1/65536 of cycles.
    uint32_t i_wait = 0, d_wait = 0, irq_rate = 0;
    uint64_t random = 1;
    // Cycles that the machine has waited in the idle word without a break; whether such waits are
    // skipped, and how many cycles were.
    uint64_t idle_for = 0;
    bool skips = true;
    uint64_t skipped = 0;
    uint64_t millisecond = 50000, microsecond = 50;  // cycles
    // Trace.
    bool tracing = false;
    uint64_t trace_limit = 0;
    std::vector<Record> records;
    uint32_t store_addr = 0, store_value = 0;
    uint8_t store_lanes = 0;
};

uint32_t call(Machine& m, Event event, uint32_t value) {
    const uint32_t answer = m.callback(m.user, event, m.cycle, value);
    m.irq = answer & 0x100;
    m.told = true;
    return answer;
}

void start_byte(Machine& m, Slave& s, Event begin) {
    s.bits = 0;
    const uint32_t answer = call(m, begin, 0);
    s.out = static_cast<uint8_t>(answer);
    s.line = s.out & 0x80;
}

void select(Machine& m, Slave& s, bool selected, Event event, Event begin) {
    s.selected = selected;
    s.bits = 0;
    s.line = true;
    call(m, event, selected);
    if (selected) start_byte(m, s, begin);
}

void clock_edge(Machine& m, Slave& s, bool rising, bool mosi, Event begin, Event end, bool always) {
    if (!s.selected && !always) return;
    if (rising) {
        s.in = static_cast<uint8_t>(s.in << 1 | mosi);
        if (++s.bits == 8) call(m, end, s.in);
    } else if (s.bits == 8) {
        if (s.selected) start_byte(m, s, begin);
        s.bits = 0;
    } else {
        s.line = !s.selected || (s.out << s.bits & 0x80);
    }
}

// The serial line, once a cycle.
void line_step(Machine& m) {
    Line& l = m.line;
    if (l.sending != 0) {
        if (m.cycle >= l.next_bit) {
            l.next_bit += l.bit_cycles;
            m.top.uart_rx = l.frame & 1;
            l.frame = static_cast<uint16_t>(l.frame >> 1 | 0x8000);
            --l.sending;
        }
    } else if (!l.to_send.empty() && m.cycle >= l.next_bit) {
        // Start bit, eight data bits, stop bit; the line then rests for its stop bit's time.
        l.frame = static_cast<uint16_t>(l.to_send.front() << 1 | 0x200);
        l.to_send.pop_front();
        l.sending = 10;
        l.next_bit = m.cycle;
    }
    const bool tx = m.top.uart_tx;
    if (l.receiving == 0) {
        if (!tx) {
            l.receiving = 10;
            l.taken = 0;
            l.sample_at = m.cycle + l.bit_cycles / 2;
        }
    } else if (m.cycle >= l.sample_at) {
        l.sample_at += l.bit_cycles;
        l.taken = static_cast<uint16_t>(l.taken >> 1 | (tx ? 0x200 : 0));
        if (--l.receiving == 0) {
            if (l.taken & 0x200) {
                l.received.push_back(static_cast<uint8_t>(l.taken >> 1));
            } else {
                ++l.framing_errors;
            }
        }
    }
}

uint32_t dice(Machine& m) {
    // xorshift64*: the same sequence on every host.
    m.random ^= m.random >> 12;
    m.random ^= m.random << 25;
    m.random ^= m.random >> 27;
    return static_cast<uint32_t>((m.random * 0x2545F4914F6CDD1DULL) >> 48);
}

void pins_step(Machine& m) {
    Vsim& t = m.top;
    const uint32_t pins = t.spi_sck | t.card_select_n << 1 | t.radio_select_n << 2 | t.radio_enable << 3;
    if (pins == m.pins) return;
    const uint32_t changed = pins ^ m.pins;
    m.pins = pins;
    if (changed & 2) select(m, m.card, !t.card_select_n, kCardSelect, kCardBegin);
    if (changed & 4) select(m, m.radio, !t.radio_select_n, kRadioSelect, kRadioBegin);
    if (changed & 8) call(m, kRadioEnable, t.radio_enable);
    if (changed & 1) {
        clock_edge(m, m.card, t.spi_sck, t.spi_mosi, kCardBegin, kCardEnd, true);
        clock_edge(m, m.radio, t.spi_sck, t.spi_mosi, kRadioBegin, kRadioEnd, false);
    }
    t.card_miso = m.card.line;
    t.radio_miso = m.radio.line;
    t.radio_irq_n = !m.irq;
}

void trace_step(Machine& m) {
    Vsim& t = m.top;
    if (t.trace_valid) {
        Record r = {};
        r.pc = t.trace_pc;
        r.value = t.trace_value;
        r.h = t.trace_h;
        r.addr = t.trace_addr;
        r.store_addr = m.store_addr;
        r.store_value = m.store_value;
        r.store_lanes = m.store_lanes;
        r.cycle = m.cycle;
        r.number = t.trace_number;
        r.write = t.trace_write;
        r.flags = t.trace_flags;
        r.memory = t.trace_memory;
        m.records.push_back(r);
    }
    if (t.trace_event) {
        Record r = {};
        r.cycle = m.cycle;
        r.kind = t.trace_event;
        m.records.push_back(r);
    }
    if (t.trace_store) {
        m.store_addr = t.trace_store_addr;
        m.store_value = t.trace_store_value;
        m.store_lanes = t.trace_store_lanes;
    }
}

// While the core waits in the idle word and SPI and serial line rest, nothing changes but five counters.
// How many cycles that holds: up to the last edge before a counter shows its end, for what follows from
// that has to be evaluated.
uint64_t quiet_cycles(const Machine& m) {
    const auto& r = *m.top.rootp;
    const Line& l = m.line;
    if (l.sending != 0 || !l.to_send.empty() || l.receiving != 0) return 0;
    if (r.sim__DOT__u_bus__DOT__u_transmitter__DOT__bits_left__024q != 0) return 0;
    if (r.sim__DOT__u_bus__DOT__u_receiver__DOT__phase__024q != 0) return 0;
    if (r.sim__DOT__u_bus__DOT__u_spi__DOT__bits_left__024q != 0) return 0;
    const uint64_t last = m.millisecond - 2;
    uint64_t count = r.sim__DOT__u_bus__DOT__u_timer__DOT__ms_count__024q;
    if (r.sim__DOT__u_bus__DOT__u_extension__DOT__left__024q != 0) {
        const uint64_t watchdog = r.sim__DOT__u_bus__DOT__u_extension__DOT__count__024q;
        count = std::max(count, watchdog);
    }
    return last - std::min(count, last);
}

// Counts cycles that `quiet_cycles` allows without evaluating them: each counter, and what it will be
// after the next edge.
void skip(Machine& m, uint64_t cycles) {
    auto& r = *m.top.rootp;
    auto& ms = r.sim__DOT__u_bus__DOT__u_timer__DOT__ms_count__024q;
    ms += cycles;
    r.sim__DOT__u_bus__DOT__u_timer__DOT__ms_count__024d = (ms + 1) % m.millisecond;

    auto& us_count = r.sim__DOT__u_bus__DOT__u_timer__DOT__us_count__024q;
    auto& us = r.sim__DOT__u_bus__DOT__u_timer__DOT__us__024q;
    const uint64_t passed = us_count + cycles;
    us_count = passed % m.microsecond;
    us += passed / m.microsecond;
    r.sim__DOT__u_bus__DOT__u_timer__DOT__us_count__024d = (us_count + 1) % m.microsecond;
    r.sim__DOT__u_bus__DOT__u_timer__DOT__us__024d = us + (us_count + 1) / m.microsecond;

    auto& cycle = r.sim__DOT__u_bus__DOT__u_timer__DOT__cycle__024q;
    cycle += cycles;
    r.sim__DOT__u_bus__DOT__u_timer__DOT__cycle__024d = cycle + 1;

    auto& watchdog = r.sim__DOT__u_bus__DOT__u_extension__DOT__count__024q;
    watchdog = (watchdog + cycles) % m.millisecond;
    r.sim__DOT__u_bus__DOT__u_extension__DOT__count__024d = (watchdog + 1) % m.millisecond;

    m.cycle += cycles;
    m.skipped += cycles;
}

// Long operations and synchronisers have come to rest after so many cycles of an idle wait.
constexpr uint64_t kSettled = 64;

void skip_idle(Machine& m, uint64_t end) {
    if (!m.top.idle) {
        m.idle_for = 0;
    } else if (++m.idle_for > kSettled) {
        const uint64_t cycles = std::min(quiet_cycles(m), end - m.cycle);
        if (cycles > 0) skip(m, cycles);
    }
}

}  // namespace

extern "C" {

Machine* rtl_new(Callback callback, void* user, uint64_t clock_hz) {
    auto* m = new Machine;
    const Entered entered{m->context};
    m->millisecond = clock_hz / 1000;
    m->microsecond = clock_hz / 1000000;
    m->callback = callback;
    m->user = user;
    Vsim& t = m->top;
    t.clock = 0;
    t.uart_rx = 1;
    t.card_miso = 1;
    t.radio_miso = 1;
    t.radio_irq_n = 1;
    t.eval();
    m->pins = t.spi_sck | t.card_select_n << 1 | t.radio_select_n << 2 | t.radio_enable << 3;
    return m;
}

void rtl_free(Machine* m) {
    const Entered entered{m->context};
    m->top.final();
    delete m;
}

uint32_t* rtl_ram(Machine* m) { return &m->top.rootp->sim__DOT__u_ram__DOT__mem[0]; }
uint32_t* rtl_prom(Machine* m) { return &m->top.rootp->sim__DOT__u_prom__DOT__mem[0]; }

bool rtl_trace_full(const Machine* m) {
    return m->tracing && m->records.size() >= m->trace_limit;
}

// At most `cycles`; fewer if the trace is full or a device was told something. Returns how many.
uint64_t rtl_run(Machine* m, uint64_t cycles) {
    const Entered entered{m->context};
    Vsim& t = m->top;
    const uint64_t end = m->cycle + cycles, start = m->cycle;
    const bool waits = m->i_wait | m->d_wait | m->irq_rate;
    m->told = false;
    while (m->cycle < end) {
        if (waits) {
            t.i_wait = dice(*m) < m->i_wait;
            t.d_wait = dice(*m) < m->d_wait;
            t.irq = dice(*m) < m->irq_rate;
        }
        t.clock = 0;
        t.eval();
        m->instructions += t.trace_valid;
        if (m->tracing) {
            trace_step(*m);
        }
        t.clock = 1;
        t.eval();
        ++m->cycle;
        pins_step(*m);
        line_step(*m);
        if (m->skips && !waits) skip_idle(*m, end);
        if (m->told || rtl_trace_full(m)) break;
    }
    return m->cycle - start;
}

// As rtl_run, and counts why no instruction entered execute.
void rtl_profile(Machine* m, uint64_t cycles) {
    const Entered entered{m->context};
    Vsim& t = m->top;
    for (const uint64_t end = m->cycle + cycles; m->cycle < end; ++m->cycle) {
        t.clock = 0;
        t.eval();
        m->instructions += t.trace_valid;
        for (unsigned bit = 0; bit < 7; ++bit) m->stalls[bit] += t.trace_stall >> bit & 1;
        t.clock = 1;
        t.eval();
        pins_step(*m);
        line_step(*m);
    }
}

uint64_t rtl_cycle(const Machine* m) { return m->cycle; }
uint64_t rtl_instructions(const Machine* m) { return m->instructions; }
const uint64_t* rtl_stalls(const Machine* m) { return m->stalls; }
uint32_t rtl_leds(const Machine* m) { return m->top.leds; }
uint32_t rtl_idle(const Machine* m) { return m->top.idle; }
uint64_t rtl_skipped(const Machine* m) { return m->skipped; }
void rtl_set_skips(Machine* m, uint32_t on) { m->skips = on; }
// Cycles for which the machine has nothing to do; 0 if it has now.
uint64_t rtl_quiet_cycles(const Machine* m) {
    return m->top.idle && m->idle_for > kSettled ? quiet_cycles(*m) : 0;
}
void rtl_set_switches(Machine* m, uint32_t value) { m->top.switches = value; }
void rtl_set_reset(Machine* m, uint32_t level) { m->top.reset = level; }
void rtl_set_radio_irq(Machine* m, uint32_t asserted) {
    m->irq = asserted;
    m->top.radio_irq_n = !asserted;
}
// Level of the card's data line between bytes.
void rtl_set_card_busy(Machine* m, uint32_t busy) {
    if (m->card.selected && m->card.bits == 0) m->card.line = !busy && (m->card.out & 0x80);
    m->top.card_miso = m->card.line;
}
void rtl_set_waits(Machine* m, uint32_t i_wait, uint32_t d_wait, uint32_t irq, uint64_t seed) {
    m->i_wait = i_wait;
    m->d_wait = d_wait;
    m->irq_rate = irq;
    m->random = seed | 1;
}
void rtl_set_trace(Machine* m, uint32_t on, uint64_t limit) {
    m->tracing = on;
    m->trace_limit = limit;
}
const Record* rtl_records(const Machine* m, uint64_t* count) {
    *count = m->records.size();
    return m->records.data();
}
void rtl_clear_records(Machine* m) { m->records.clear(); }
void rtl_set_baud(Machine* m, uint64_t bit_cycles) { m->line.bit_cycles = bit_cycles; }
void rtl_send(Machine* m, const uint8_t* bytes, uint64_t count) {
    m->line.to_send.insert(m->line.to_send.end(), bytes, bytes + count);
}
const uint8_t* rtl_received(const Machine* m, uint64_t* count) {
    *count = m->line.received.size();
    return m->line.received.data();
}
void rtl_clear_received(Machine* m) { m->line.received.clear(); }

}  // extern "C"
