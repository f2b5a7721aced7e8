// Idle waits of a machine of ours: while its core waits in the idle word and SPI and serial line rest, only
// five counters move.
//
// Who includes this has defined BUS(name), which is `root.` and a name of the machine's I/O unit.

#pragma once

#include <algorithm>

#include "machine.h"

// Up to the last edge before a counter shows its end: what follows from that is evaluated.
template <class Root>
uint64_t timers_quiet(const Machine& machine, const Root& root) {
    if (BUS(u_idle__DOT__ended__024d) != 0) return 0;
    if (BUS(u_transmitter__DOT__bits_left__024q) != 0) return 0;
    if (BUS(u_receiver__DOT__phase__024q) != 0) return 0;
    if (BUS(u_spi__DOT__bits_left__024q) != 0) return 0;
    const uint64_t last = machine.millisecond - 2;
    uint64_t count = BUS(u_timer__DOT__ms_count__024q);
    if (BUS(u_extension__DOT__left__024q) != 0) {
        count = std::max<uint64_t>(count, BUS(u_extension__DOT__count__024q));
    }
    return last - std::min(count, last);
}

// Each counter, and what it will be after the next edge.
template <class Root>
void timers_skip(const Machine& machine, Root& root, uint64_t cycles) {
    auto& ms = BUS(u_timer__DOT__ms_count__024q);
    ms += cycles;
    BUS(u_timer__DOT__ms_count__024d) = (ms + 1) % machine.millisecond;

    auto& us_count = BUS(u_timer__DOT__us_count__024q);
    auto& us = BUS(u_timer__DOT__us__024q);
    const uint64_t passed = us_count + cycles;
    us_count = passed % machine.microsecond;
    us += passed / machine.microsecond;
    BUS(u_timer__DOT__us_count__024d) = (us_count + 1) % machine.microsecond;
    BUS(u_timer__DOT__us__024d) = us + (us_count + 1) / machine.microsecond;

    auto& cycle = BUS(u_timer__DOT__cycle__024q);
    cycle += cycles;
    BUS(u_timer__DOT__cycle__024d) = cycle + 1;

    auto& watchdog = BUS(u_extension__DOT__count__024q);
    watchdog = (watchdog + cycles) % machine.millisecond;
    BUS(u_extension__DOT__count__024d) = (watchdog + 1) % machine.millisecond;
}
