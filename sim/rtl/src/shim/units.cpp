// The core's units by themselves, one question at a time.

#include "Vunits.h"
#include <cstdint>

namespace {

// As in ffi.rs.
struct Question {
    uint32_t word, b, n, h, flags;
};
struct Answer {
    uint32_t result, high, operand, cycles;
    uint8_t carry, overflow, holds, classes, uses, jumps, kinds, done;
};

// A unit that takes longer is stuck.
constexpr uint32_t limit = 64;

struct Units {
    VerilatedContext context;
    Vunits top{&context, "units"};

    void edge() {
        top.clock = 1;
        top.eval();
        top.clock = 0;
        top.eval();
    }
};

}  // namespace

extern "C" {

Units* units_new() { return new Units; }

void units_free(Units* units) { delete units; }

void units_ask(Units* units, const Question* question, Answer* answer) {
    auto& top = units->top;
    top.word = question->word;
    top.b = question->b;
    top.n = question->n;
    top.h = question->h;
    top.flags = question->flags & 15;
    top.start = 1;
    top.eval();
    uint32_t cycles = 1;
    while (!top.done && cycles < limit) {
        units->edge();
        cycles++;
    }
    *answer = {top.result, top.high, top.operand, cycles, top.carry, top.overflow, top.holds,
               top.classes, top.uses, top.jumps, top.kinds, top.done};
    top.start = 0;
    units->edge();
}

}  // extern "C"
