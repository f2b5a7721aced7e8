// The functions for Rust; see ffi.rs. A board's model may also come from a library that was made later.

#include <dlfcn.h>

#include "machine.h"

extern "C" {

static Machine* connected(Machine* m, Callback callback, void* user, uint64_t clock_hz) {
    m->callback = callback;
    m->user = user;
    m->millisecond = clock_hz / 1000;
    m->microsecond = clock_hz / 1000000;
    return m;
}

Machine* rtl_new(uint32_t model, Callback callback, void* user, uint64_t clock_hz) {
    Machine* m = model == 0 ? new_ours()
        : model == 1        ? new_compat()
        : model == 2        ? new_traced()
                            : new_ulx3s();
    return connected(m, callback, user, clock_hz);
}

// A board's top from a library made of the same shim; null if it cannot be loaded. The library stays.
Machine* rtl_load(const char* library, Callback callback, void* user, uint64_t clock_hz) {
    void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* maker = loaded ? dlsym(loaded, "new_ulx3s") : nullptr;
    if (!maker) return nullptr;
    return connected(reinterpret_cast<Machine* (*)()>(maker)(), callback, user, clock_hz);
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
