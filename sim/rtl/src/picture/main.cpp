// Shows a picture: fills memory and PROM, lets the machine run, and takes a frame from the four lanes as a
// screen would, bit by bit.
//
// Arguments: file of memory words from address 0, file of PROM words, file for the picture, the machine's clock in
// MHz. Words are little endian. Writes the points of the visible lines as words, bit 0 leftmost, 1 = black, and prints what it
// measured: "lines L columns C total T low_h H low_v V balance B read R written W", and what was wrong.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "Vbench.h"
#include "Vbench___024root.h"
#include "verilated.h"

namespace {

constexpr uint32_t kControl[4] = {0x354, 0x0AB, 0x154, 0x2AB};
constexpr int kBitMhz = 325;

std::vector<uint32_t> words(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<uint32_t> out;
    for (uint32_t word; file.read(reinterpret_cast<char*>(&word), 4);) out.push_back(word);
    return out;
}

// As hdl/src/memory/sdram.rs lays words out: a bank each 256 words, in another order in each row.
uint32_t column_of(uint32_t word) {
    const uint32_t row = word >> 10, bank = (word >> 8 ^ row) & 3;
    return row << 11 | bank << 9 | (word & 0xFF) << 1;
}

// One lane as a receiver sees it: ten bits a point, from where the control words show them to begin.
struct Lane {
    uint32_t bits = 0;
    int since = -1, balance = 0, worst = 0;

    void take(bool bit) {
        bits = bits >> 1 | uint32_t(bit) << 9;
        if (since >= 0) ++since;
    }
    bool is_control() const { return std::count(kControl, kControl + 4, bits) != 0; }
    // A byte, or 256 and the control bits.
    uint32_t value() const {
        for (uint32_t n = 0; n < 4; ++n) {
            if (bits == kControl[n]) return 256 + n;
        }
        const uint32_t low = bits & 0x200 ? ~bits & 0xFF : bits & 0xFF;
        const uint32_t chain = low ^ low << 1;
        return (bits & 0x100 ? chain : (~chain & 0xFE) | (chain & 1)) & 0xFF;
    }
    void weigh() {
        balance = is_control() ? 0 : balance + 2 * __builtin_popcount(bits) - 10;
        worst = std::max(worst, std::abs(balance));
    }
};

struct Picture {
    std::vector<uint32_t> points;
    uint64_t total = 0, low_h = 0, low_v = 0, lines = 0, columns = 0, in_line = 0;
    bool begun = false, ended = false, was_low = false;
    std::string wrong;

    // A frame goes from one falling edge of the vertical synchronisation to the next.
    void point(uint32_t blue, uint32_t green, uint32_t red) {
        const bool control = blue >= 256;
        if (control) last = blue & 3;
        const bool low_v_now = !(last & 2);
        if (low_v_now && !was_low) {
            if (begun) ended = true;
            begun = true;
        }
        was_low = low_v_now;
        if (!begun || ended) return;
        ++total;
        low_v += low_v_now;
        if (control) {
            low_h += !(last & 1);
            if (in_line != 0) {
                ++lines;
                if (columns != 0 && in_line != columns) wrong = "lines of different lengths";
                columns = in_line;
                in_line = 0;
            }
            if (green != 256 || red != 256) wrong = "control bits on green or red";
            return;
        }
        if (blue != green || blue != red || (blue != 0 && blue != 255)) wrong = "a colour";
        if (in_line % 32 == 0) points.push_back(0);
        points.back() |= uint32_t(blue == 0) << in_line % 32;
        ++in_line;
    }

   private:
    uint32_t last = 3;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const int machine_mhz = std::atoi(argv[4]);
    VerilatedContext context;
    Vbench top(&context);
    // Initial values first.
    top.eval();
    auto& root = *top.rootp;
    const auto memory = words(argv[1]), program = words(argv[2]);
    for (uint32_t n = 0; n < memory.size(); ++n) {
        root.bench__DOT__mem[column_of(n)] = memory[n] & 0xFFFF;
        root.bench__DOT__mem[column_of(n) + 1] = memory[n] >> 16;
    }
    auto& prom = root.bench__DOT__machine__DOT__u_machine__DOT__u_memory__DOT__u_prom__DOT__mem;
    for (uint32_t n = 0; n < program.size(); ++n) prom[n] = program[n];

    const auto machine_edge = [&] {
        top.clock = !top.clock;
        top.eval();
    };
    // The memory's initialisation, and a program that has begun.
    for (int half = 0; half < machine_mhz * 2 * 300; ++half) machine_edge();

    Lane lanes[4];
    Picture picture;
    int due = 0, fifth = 0, clock_wrong = 0;
    int run_of_clock = 0;
    bool last_clock = false;
    uint64_t points = 0;
    for (uint64_t half = 0; !picture.ended && points < 3'000'000; ++half) {
        for (due += machine_mhz; due >= kBitMhz; due -= kBitMhz) machine_edge();
        if (top.bit_clock == 0) {
            // Points rise with every fifth bit clock.
            if (fifth == 0) top.pixel_clock = 1;
            if (fifth == 2) top.pixel_clock = 0;
            fifth = (fifth + 1) % 5;
        }
        top.bit_clock = !top.bit_clock;
        top.eval();
        for (int n = 0; n < 3; ++n) lanes[n].take(top.lanes >> n & 1);
        const bool clock_lane = top.lanes >> 3 & 1;
        if (clock_lane == last_clock) {
            ++run_of_clock;
        } else {
            if (half > 100 && run_of_clock != 5) ++clock_wrong;
            run_of_clock = 1;
            last_clock = clock_lane;
        }
        // A screen finds the beginning of words by control words, which no two points give shifted.
        if (lanes[0].since < 0) {
            static int seen = 0;
            static uint64_t at = 0;
            if (half > 200 && lanes[0].is_control()) {
                seen = half - at == 10 ? seen + 1 : 1;
                at = half;
                if (seen == 8) {
                    for (Lane& lane : lanes) lane.since = 0;
                }
            }
            continue;
        }
        if (lanes[0].since % 10 != 0) continue;
        ++points;
        for (int n = 0; n < 3; ++n) lanes[n].weigh();
        picture.point(lanes[0].value(), lanes[1].value(), lanes[2].value());
    }
    int worst = 0;
    for (const Lane& lane : lanes) worst = std::max(worst, lane.worst);
    if (clock_wrong != 0) picture.wrong = "the clock lane is not five bits high, five low";
    std::ofstream out(argv[3], std::ios::binary);
    out.write(reinterpret_cast<const char*>(picture.points.data()), picture.points.size() * 4);
    std::printf("lines %llu columns %llu total %llu low_h %llu low_v %llu balance %d "
                "read %u written %u %s\n",
                (unsigned long long)picture.lines, (unsigned long long)picture.columns,
                (unsigned long long)picture.total, (unsigned long long)picture.low_h,
                (unsigned long long)picture.low_v, worst, top.lines_read, top.writes,
                picture.wrong.c_str());
    return 0;
}
