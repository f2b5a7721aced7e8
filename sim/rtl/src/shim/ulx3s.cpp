// The top of a ULX3S, its SDRAM a model in Rust.

#include "Vulx3s.h"
#include "Vulx3s___024root.h"
#include "model.h"

namespace {

// The model answers with data in bits 15..0; 16: drives them; 17: wants to be asked next time too.
constexpr uint32_t kNop = 7, kDrives = 1 << 16, kBusy = 1 << 17;
// It is asked that often at least, to see what does not come.
constexpr uint64_t kLook = 256;

struct Board : Plain {
    bool busy = false;

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

    uint32_t* ram(Vulx3s&) { return nullptr; }
    uint32_t* prom(Vulx3s& top) {
        return &top.rootp->board__DOT__machine__DOT__u_machine__DOT__u_memory__DOT__u_prom__DOT__mem[0];
    }
};

}  // namespace

Machine* new_ulx3s() { return new Model<Vulx3s, Board>; }
