// The clock loop around one Verilated model, a template over what Verilator made of the harness.
//
// Outputs are those of the state after the last edge. A cycle: they are looked at, the clock rises,
// devices follow the pins, and the levels that they drive are what the next edge takes in.

#pragma once

#include <algorithm>
#include <iterator>

#include "machine.h"
#include "verilated.h"

// One thread a machine: without this Verilator starts a worker for every context.
struct Context : VerilatedContext {
    Context() { threads(1); }
};

// Verilator reaches some state through a thread-local pointer to a context. It must be the machine's
// while its code runs, destructors included, and must not outlive the machine.
struct Entered {
    explicit Entered(VerilatedContext& context) { Verilated::threadContextp(&context); }
    ~Entered() {
        static auto* const rest = new Context;
        Verilated::threadContextp(rest);
    }
};

// `Top` is the Verilated harness. `Policy` is what this model does beside running:
//   uint64_t quiet(const Machine&, const Top&): cycles for which nothing but timers moves;
//   uint64_t skip(Machine&, Top&, uint64_t cycles): counts at most so many at once, and says how many;
//   void after_edge(Machine&, Top&): what follows an edge beside the pins that every machine has;
//   unsigned waits(const Top&): why memory holds the core in this cycle, a bit for each reason;
//   uint32_t* ram(Top&), prom(Top&): memories in the model; no RAM where it is a chip outside.
//   bool waveform(Top&, const char* path): see Machine.
template <class Top, class Policy>
struct Model final : Machine {
    Context context;
    Policy policy;
    Top* top = nullptr;

    Model() {
        const Entered entered{context};
        context.traceEverOn(Policy::kTraced);
        top = new Top{&context, "harness"};
        top->clock = 0;
        drive();
        top->eval();
        pins = read_pins();
    }

    ~Model() override {
        const Entered entered{context};
        top->final();
        delete top;
    }

    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    void run(uint64_t cycles) override {
        const Entered entered{context};
        const uint64_t end = cycle + cycles;
        const bool disturbed = i_wait | d_wait | irq_rate || irq_at > cycle;
        told = false;
        drive();
        while (cycle < end) {
            if (disturbed) disturb();
            step();
            if (skips && !disturbed) skip_idle(end);
            if (told || trace_full()) break;
        }
    }

    void profile(uint64_t cycles) override {
        const Entered entered{context};
        drive();
        for (const uint64_t end = cycle + cycles; cycle < end;) {
            for (unsigned bit = 0; bit < 7; ++bit) stalls[bit] += top->trace_stall >> bit & 1;
            step();
        }
    }

    uint32_t* ram() override { return policy.ram(*top); }
    uint32_t* prom() override { return policy.prom(*top); }
    uint32_t leds() const override { return top->leds; }
    bool idle() const override { return top->idle; }

    uint64_t quiet() const override {
        const bool settled = top->idle && idle_for > kSettled && line.rests();
        return settled ? policy.quiet(*this, *top) : 0;
    }

    bool waveform(const char* path) override {
        const Entered entered{context};
        return policy.waveform(*top, path);
    }

   private:
    // Long operations and synchronisers have come to rest after so many cycles.
    static constexpr uint64_t kSettled = 64;

    void step() {
        instructions += top->trace_valid;
        idle_cycles += top->idle;
        if (tracing) trace_step();
        raise_clock();
        ++cycle;
        policy.after_edge(*this, *top);
        const uint32_t now = read_pins();
        if (now != pins) {
            pins_changed(now, top->spi_mosi);
            drive();
        }
        if (!top->uart_tx || !line.rests() || !line.level) {
            line_step(top->uart_tx);
            top->uart_rx = line.level;
        }
    }

    // The falling edge does nothing but arm the next rising one; where the name of that mark is known, it
    // is set without an evaluation.
    void raise_clock() {
#if VERILATOR_VERSION_INTEGER == 5006000
        top->rootp->__Vtrigrprev__TOP__clock = 0;
#else
        top->clock = 0;
        top->eval();
#endif
        top->clock = 1;
        top->eval();
    }

    uint32_t read_pins() const {
        return top->spi_sck | top->card_select_n << 1 | top->radio_select_n << 2
            | top->radio_enable << 3;
    }

    void drive() {
        top->reset = inputs.reset;
        top->switches = inputs.switches;
        top->radio_irq_n = !inputs.radio_irq;
        top->card_miso = card.line;
        top->radio_miso = radio.line;
        top->uart_rx = line.level;
    }

    void disturb() {
        top->i_wait = dice() < i_wait;
        top->d_wait = dice() < d_wait;
        top->irq = dice() < irq_rate || cycle + 1 == irq_at;
    }

    void skip_idle(uint64_t end) {
        if (!top->idle) {
            idle_for = 0;
            return;
        }
        ++idle_for;
        if (const uint64_t most = std::min(quiet(), end - cycle)) {
            const uint64_t cycles = policy.skip(*this, *top, most);
            cycle += cycles;
            skipped += cycles;
            idle_cycles += cycles;
        }
    }

    void trace_step() {
        for (unsigned held = policy.waits(*top), reason = 0; held != 0; held >>= 1, ++reason) {
            if ((held & 1) && waits[reason] != UINT16_MAX) ++waits[reason];
        }
        if (top->trace_valid) {
            Record r = {};
            r.pc = top->trace_pc;
            r.value = top->trace_value;
            r.h = top->trace_h;
            r.addr = top->trace_addr;
            r.store_addr = store_addr;
            r.store_value = store_value;
            r.store_lanes = store_lanes;
            r.cycle = cycle;
            r.number = top->trace_number;
            r.write = top->trace_write;
            r.flags = top->trace_flags;
            r.memory = top->trace_memory;
            std::copy(std::begin(waits), std::end(waits), r.waits);
            std::fill(std::begin(waits), std::end(waits), 0);
            records.push_back(r);
        }
        if (top->trace_event) {
            Record r = {};
            r.cycle = cycle;
            r.kind = top->trace_event;
            records.push_back(r);
        }
        if (top->trace_store) {
            store_addr = top->trace_store_addr;
            store_value = top->trace_store_value;
            store_lanes = top->trace_store_lanes;
        }
    }
};

// Skips nothing, draws nothing.
struct Plain {
    static constexpr bool kTraced = false;
    template <class Top>
    uint64_t quiet(const Machine&, const Top&) const { return 0; }
    template <class Top>
    uint64_t skip(Machine&, Top&, uint64_t) { return 0; }
    template <class Top>
    void after_edge(Machine&, Top&) {}
    template <class Top>
    unsigned waits(const Top&) const { return 0; }
    template <class Top>
    uint32_t* ram(Top& top) { return &top.rootp->harness__DOT__machine__DOT__u_ram__DOT__mem[0]; }
    template <class Top>
    uint32_t* prom(Top& top) { return &top.rootp->harness__DOT__machine__DOT__u_prom__DOT__mem[0]; }
    template <class Top>
    bool waveform(Top&, const char* path) { return path == nullptr; }
};
