// Our machine, as fast as it goes.

#include "Vours.h"
#include "Vours___024root.h"
#include "model.h"

namespace {

#define BUS(name) root.harness__DOT__machine__DOT__u_bus__DOT__##name

// While the core waits in the idle word and SPI and serial line rest, only five counters move.
struct Skipping : Plain {
    // Up to the last edge before a counter shows its end: what follows from that is evaluated.
    uint64_t quiet(const Machine& machine, const Vours& top) const {
        const auto& root = *top.rootp;
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
    void skip(const Machine& machine, Vours& top, uint64_t cycles) {
        auto& root = *top.rootp;
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
};

}  // namespace

Machine* new_ours() { return new Model<Vours, Skipping>; }
