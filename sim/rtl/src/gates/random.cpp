// Random inputs for two circuits side by side; compares all outputs after every edge of the clock.
// Prints "matched CYCLES" or "differs CYCLE BIT SOURCE GATES".

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vgates.h"
#include "verilated.h"

int main(int argc, char** argv) {
    const uint64_t limit = std::strtoull(argv[1], nullptr, 10);
    uint64_t random = std::strtoull(argv[2], nullptr, 10) * 2 + 1;
    VerilatedContext context;
    Vgates top(&context);
    for (uint64_t cycle = 0; cycle < limit; ++cycle) {
        // xorshift64*: the same inputs on every host.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        top.in = random * 0x2545F4914F6CDD1DULL;
        for (int level : {0, 1}) {
            top.clock = level;
            top.eval();
            const uint64_t differ = top.of_source ^ top.of_gates;
            if (differ == 0) continue;
            const int bit = __builtin_ctzll(differ);
            std::printf("differs %llu %d %u %u\n", (unsigned long long)cycle, bit,
                        unsigned(top.of_source >> bit & 1), unsigned(top.of_gates >> bit & 1));
            return 0;
        }
    }
    std::printf("matched %llu\n", (unsigned long long)limit);
    return 0;
}
