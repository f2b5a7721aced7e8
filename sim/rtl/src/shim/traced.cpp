// Our machine, slowly and with waveforms.

#include <memory>

#include "Vtraced.h"
#include "Vtraced___024root.h"
#include "model.h"
#include "verilated_fst_c.h"

namespace {

struct Drawing : Plain {
    static constexpr bool kTraced = true;
    std::unique_ptr<VerilatedFstC> file;

    void after_edge(Machine& machine, Vtraced&) {
        if (file) file->dump(machine.cycle);
    }

    bool waveform(Vtraced& top, const char* path) {
        if (file) file->close();
        file.reset();
        if (!path) return true;
        file = std::make_unique<VerilatedFstC>();
        top.trace(file.get(), 99);
        file->open(path);
        return file->isOpen();
    }
};

}  // namespace

Machine* new_traced() { return new Model<Vtraced, Drawing>; }
