// What is the same for every model: the devices' side of the pins, and the functions for Rust.

#include "machine.h"

uint32_t Machine::call(Event event, uint32_t value) {
    const uint32_t answer = callback(user, event, cycle, value);
    inputs.radio_irq = answer & 0x100;
    told = true;
    return answer;
}

void Machine::start_byte(Slave& slave, Event begin) {
    slave.bits = 0;
    slave.out = static_cast<uint8_t>(call(begin, 0));
    slave.line = slave.out & 0x80;
}

void Machine::select(Slave& slave, bool selected, Event event, Event begin) {
    slave.selected = selected;
    slave.bits = 0;
    slave.line = true;
    call(event, selected);
    if (selected) start_byte(slave, begin);
}

void Machine::clock_edge(Slave& s, bool rising, bool mosi, Event begin, Event end, bool always) {
    if (!s.selected && !always) return;
    if (rising) {
        s.in = static_cast<uint8_t>(s.in << 1 | mosi);
        if (++s.bits == 8) call(end, s.in);
    } else if (s.bits == 8) {
        if (s.selected) start_byte(s, begin);
        s.bits = 0;
    } else {
        s.line = !s.selected || (s.out << s.bits & 0x80);
    }
}

void Machine::pins_changed(uint32_t now, bool mosi) {
    const uint32_t changed = pins ^ now;
    pins = now;
    if (changed & 2) select(card, !(now & 2), kCardSelect, kCardBegin);
    if (changed & 4) select(radio, !(now & 4), kRadioSelect, kRadioBegin);
    if (changed & 8) call(kRadioEnable, now >> 3 & 1);
    if (changed & 1) {
        clock_edge(card, now & 1, mosi, kCardBegin, kCardEnd, true);
        clock_edge(radio, now & 1, mosi, kRadioBegin, kRadioEnd, false);
    }
}

void Machine::line_step(bool tx) {
    Line& l = line;
    if (l.sending != 0) {
        if (cycle >= l.next_bit) {
            l.next_bit += l.bit_cycles;
            l.level = l.frame & 1;
            l.frame = static_cast<uint16_t>(l.frame >> 1 | 0x8000);
            --l.sending;
        }
    } else if (cycle >= l.next_bit) {
        l.level = true;
        if (!l.to_send.empty()) {
            // Start bit, eight data bits, stop bit.
            l.frame = static_cast<uint16_t>(l.to_send.front() << 1);
            l.to_send.pop_front();
            l.sending = 10;
            l.next_bit = cycle;
        }
    }
    if (l.receiving == 0) {
        if (!tx) {
            l.receiving = 10;
            l.taken = 0;
            l.sample_at = cycle + l.bit_cycles / 2;
        }
    } else if (cycle >= l.sample_at) {
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

uint32_t Machine::dice() {
    // xorshift64*: the same sequence on every host.
    random ^= random >> 12;
    random ^= random << 25;
    random ^= random >> 27;
    return static_cast<uint32_t>((random * 0x2545F4914F6CDD1DULL) >> 48);
}

extern "C" {

Machine* rtl_new(uint32_t model, Callback callback, void* user, uint64_t clock_hz) {
    Machine* m = model == 0 ? new_ours()
        : model == 1        ? new_compat()
        : model == 2        ? new_traced()
                            : new_ulx3s();
    m->callback = callback;
    m->user = user;
    m->millisecond = clock_hz / 1000;
    m->microsecond = clock_hz / 1000000;
    return m;
}

void rtl_free(Machine* m) { delete m; }
uint32_t* rtl_ram(Machine* m) { return m->ram(); }
uint32_t* rtl_prom(Machine* m) { return m->prom(); }

// Returns how many cycles were run.
uint64_t rtl_run(Machine* m, uint64_t cycles) {
    const uint64_t start = m->cycle;
    m->run(cycles);
    return m->cycle - start;
}

void rtl_profile(Machine* m, uint64_t cycles) { m->profile(cycles); }
uint64_t rtl_cycle(const Machine* m) { return m->cycle; }
uint64_t rtl_instructions(const Machine* m) { return m->instructions; }
const uint64_t* rtl_stalls(const Machine* m) { return m->stalls; }
uint32_t rtl_leds(const Machine* m) { return m->leds(); }
uint32_t rtl_idle(const Machine* m) { return m->idle(); }
uint64_t rtl_skipped(const Machine* m) { return m->skipped; }
uint64_t rtl_idle_cycles(const Machine* m) { return m->idle_cycles; }
void rtl_set_skips(Machine* m, uint32_t on) { m->skips = on; }
uint64_t rtl_quiet_cycles(const Machine* m) { return m->quiet(); }

void rtl_set_switches(Machine* m, uint32_t value) {
    m->inputs.switches = value;
    m->idle_for = 0;
}
void rtl_set_reset(Machine* m, uint32_t level) {
    m->inputs.reset = level;
    m->idle_for = 0;
}
void rtl_set_radio_irq(Machine* m, uint32_t asserted) {
    if (m->inputs.radio_irq != (asserted != 0)) m->idle_for = 0;
    m->inputs.radio_irq = asserted;
}
// Level of the card's data line between bytes.
void rtl_set_card_busy(Machine* m, uint32_t busy) {
    if (!m->card.selected || m->card.bits != 0) return;
    const bool level = !busy && (m->card.out & 0x80);
    if (m->card.line != level) m->idle_for = 0;
    m->card.line = level;
}
void rtl_set_waits(Machine* m, uint32_t i_wait, uint32_t d_wait, uint32_t irq, uint64_t seed) {
    m->i_wait = i_wait;
    m->d_wait = d_wait;
    m->irq_rate = irq;
    m->random = seed | 1;
}

void rtl_interrupt_at(Machine* m, uint64_t cycle) { m->irq_at = cycle; }

void rtl_set_trace(Machine* m, uint32_t on, uint64_t limit) {
    m->tracing = on;
    m->trace_limit = limit;
}
bool rtl_trace_full(const Machine* m) { return m->trace_full(); }
const Record* rtl_records(const Machine* m, uint64_t* count) {
    *count = m->records.size();
    return m->records.data();
}
void rtl_clear_records(Machine* m) { m->records.clear(); }
bool rtl_waveform(Machine* m, const char* path) { return m->waveform(path); }

void rtl_set_baud(Machine* m, uint64_t bit_cycles) { m->line.bit_cycles = bit_cycles; }
// Bytes with their stop bit in bit 8: without it a framing error.
void rtl_send(Machine* m, const uint16_t* characters, uint64_t count) {
    m->line.to_send.insert(m->line.to_send.end(), characters, characters + count);
    m->idle_for = 0;
}
const uint8_t* rtl_received(const Machine* m, uint64_t* count) {
    *count = m->line.received.size();
    return m->line.received.data();
}
void rtl_clear_received(Machine* m) { m->line.received.clear(); }
uint64_t rtl_framing_errors(const Machine* m) { return m->line.framing_errors; }

}  // extern "C"
