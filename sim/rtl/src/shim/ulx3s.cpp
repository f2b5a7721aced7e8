// The top of a ULX3S, its SDRAM a model in Rust.

#include "Vulx3s.h"
#include "Vulx3s___024root.h"
#include "model.h"

#define MACHINE(name) root.board__DOT__machine__DOT__u_machine__DOT__##name
#define BUS(name) MACHINE(u_bus__DOT__##name)
#define MEMORY(name) MACHINE(u_memory__DOT__##name)
#define SDRAM(name) MEMORY(u_sdram__DOT__##name)
#include "timers.h"

#ifndef REFRESH_INTERVAL
#error "build.rs reads REFRESH_INTERVAL, the controller's `interval`, from the exported Verilog"
#endif

namespace {

// The model answers with data in bits 15..0; 16: drives them; 17: wants to be asked next time too.
constexpr uint32_t kNop = 7, kDrives = 1 << 16, kBusy = 1 << 17;
// It is asked that often at least, to see what does not come.
constexpr uint64_t kLook = 256;
constexpr uint32_t kRefresh = 1;
// The refresh counter runs from 0 to the interval. The chip sees a refresh when it shows 1, and has
// ended it long before it shows the third number.
constexpr uint64_t kPeriod = REFRESH_INTERVAL + 1, kSeen = 1, kRests = 32;

struct Board : Plain {
    bool busy = false;

    // Nothing is on its way between core and chip, and all rows are closed, as after a refresh that
    // nothing followed: then the controller does nothing but refresh.
    uint64_t quiet(const Machine& machine, const Vulx3s& top) const {
        const auto& root = *top.rootp;
        const uint64_t count = SDRAM(count__024q);
        const bool rests = count >= kRests && count < kPeriod - 2 && !busy
            && SDRAM(phase__024q) == 5 && SDRAM(due__024q) == 0 && SDRAM(pause__024q) == 0
            && SDRAM(opened__024q) == 0 && SDRAM(op_valid__024q) == 0
            && MEMORY(held__024q) == 0 && MEMORY(s_waits__024q) == 0 && MEMORY(f_busy__024q) == 0;
        return rests ? timers_quiet(machine, root) : 0;
    }

    // Refreshes come when they would; a skip does not end within one.
    uint64_t skip(Machine& machine, Vulx3s& top, uint64_t cycles) {
        auto& root = *top.rootp;
        const uint64_t from = SDRAM(count__024q);
        const uint64_t ends = (from + cycles) % kPeriod;
        const uint64_t over = ends < kRests ? ends + 2 : ends == kPeriod - 1 ? 1 : 0;
        if (cycles <= over) return 0;
        cycles -= over;
        for (uint64_t after = kPeriod + kSeen - from; after <= cycles; after += kPeriod) {
            machine.callback(machine.user, kSdram | kRefresh << 23, machine.cycle + after, 0);
        }
        auto& count = SDRAM(count__024q);
        count = (from + cycles) % kPeriod;
        SDRAM(count__024d) = count + 1;
        timers_skip(machine, root, cycles);
        return cycles;
    }

    // The chip's edge lies between two of the FPGA: it sees what the last one made, and what it drives
    // is taken in by the next.
    void after_edge(Machine& machine, Vulx3s& top) {
        const bool asks = top.sdram_command != kNop || top.sdram_driven || busy;
        if (!asks && machine.cycle % kLook != 0) return;
        const uint32_t pins = top.sdram_address | top.sdram_bank << 13 | top.sdram_command << 15;
        const uint32_t data = top.sdram_out | top.sdram_mask << 16 | top.sdram_driven << 18;
        const uint32_t answer = machine.callback(machine.user, kSdram | pins << 8, machine.cycle, data);
        busy = answer & kBusy;
        top.sdram_in = answer & 0xFFFF;
        top.sdram_answers = (answer & kDrives) != 0;
    }

    unsigned waits(const Vulx3s& top) const { return top.memory_waits; }
    uint32_t* ram(Vulx3s&) { return nullptr; }
    uint32_t* prom(Vulx3s& top) {
        return &top.rootp->board__DOT__machine__DOT__u_machine__DOT__u_memory__DOT__u_prom__DOT__mem[0];
    }
};

}  // namespace

extern "C" Machine* new_ulx3s() { return new Model<Vulx3s, Board>; }
