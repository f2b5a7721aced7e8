// Runs two tops side by side with one card, cycle by cycle, until the card has given a sector whole,
// and compares all pins. Prints one line: "matched CYCLES", "differs CYCLE BIT SOURCE GATES" or
// "stuck CYCLES".

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "Vgates.h"
#include "verilated.h"

// An SD card by SPI, as far as a boot loader asks it: it is ready at its second ACMD41.
struct Card {
    static constexpr int kSector = 512;
    std::deque<uint8_t> answer;
    uint8_t command[6] = {};
    int have = 0, bits = 0, asked = 0, given = -1;
    uint8_t in = 0, out = 0xFF;
    bool clock = false, selected = false, line = true;

    void reply(const uint8_t (&c)[6]) {
        const uint8_t number = c[0] & 0x3F;
        const uint32_t argument = c[1] << 24 | c[2] << 16 | c[3] << 8 | c[4];
        answer.push_back(0xFF);
        if (number == 0 || number == 55) {
            answer.push_back(1);
        } else if (number == 8) {
            for (uint8_t byte : {1, 0, 0, 1, 0xAA}) answer.push_back(byte);
        } else if (number == 41) {
            answer.push_back(++asked < 2);
        } else if (number == 58) {
            for (uint8_t byte : {0, 0xC0, 0xFF, 0x80, 0}) answer.push_back(byte);
        } else if (number == 17) {
            answer.push_back(0);
            answer.push_back(0xFF);
            answer.push_back(0xFE);
            // A boot area's first sector: its length stands at byte 16.
            for (int i = 0; i < kSector; ++i) {
                const uint8_t length[4] = {0, 0x20, 0, 0};
                const bool is_length = i >= 16 && i < 20;
                answer.push_back(is_length ? length[i - 16] : uint8_t(i * 7 + argument));
            }
            answer.push_back(0);
            answer.push_back(0);
            given = 0;
        } else {
            answer.push_back(4);
        }
    }

    void byte_done() {
        if (given >= 0 && given < kSector + 4) ++given;
        if (have == 0 && (in & 0xC0) != 0x40) return;
        command[have++] = in;
        if (have == 6) {
            have = 0;
            reply(command);
        }
    }

    void step(bool now_clock, bool mosi, bool select_n) {
        if (selected == select_n) {
            selected = !select_n;
            bits = have = 0;
            out = 0xFF;
            line = true;
            if (!selected) answer.clear();
        }
        if (now_clock == clock) return;
        clock = now_clock;
        if (!selected) return;
        if (clock) {
            in = static_cast<uint8_t>(in << 1 | mosi);
            if (++bits == 8) byte_done();
        } else {
            if (bits == 8) {
                bits = 0;
                out = 0xFF;
                if (!answer.empty()) {
                    out = answer.front();
                    answer.pop_front();
                }
            }
            line = out << bits & 0x80;
        }
    }
};

int main(int argc, char** argv) {
    const uint64_t limit = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000000;
    VerilatedContext context;
    Vgates top(&context);
    Card card;
    top.ftdi_txd = 1;
    top.btn = 1;
    top.sw = 0;
    for (uint64_t cycle = 0; cycle < limit; ++cycle) {
        top.sd_d0 = card.line;
        for (int level : {1, 0}) {
            top.clock = level;
            top.eval();
            for (int word = 0; word < 3; ++word) {
                const uint32_t differ = top.of_source[word] ^ top.of_gates[word];
                if (differ == 0) continue;
                const int bit = __builtin_ctz(differ);
                std::printf("differs %llu %d %u %u\n", (unsigned long long)cycle, word * 32 + bit,
                            top.of_source[word] >> bit & 1, top.of_gates[word] >> bit & 1);
                return 0;
            }
        }
        card.step(top.sd_clk, top.sd_cmd, top.sd_d3);
        if (card.given >= Card::kSector + 4) {
            std::printf("matched %llu\n", (unsigned long long)(cycle + 1));
            return 0;
        }
    }
    std::printf("stuck %llu\n", (unsigned long long)limit);
    return 0;
}
