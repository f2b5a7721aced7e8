// What is the same for every model: the devices' side of the pins.

#include "machine.h"

uint32_t Machine::call(Event event, uint32_t value) {
    const uint32_t answer = callback(user, event, cycle, value);
    inputs.radio_irq = answer & 0x100;
    told = true;
    return answer;
}

void Machine::start_byte(Slave& slave, Event begin) {
    slave.bits = 0;
    slave.out = static_cast<uint8_t>(call(begin, 0));
    slave.line = slave.out & 0x80;
}

void Machine::select(Slave& slave, bool selected, Event event, Event begin) {
    slave.selected = selected;
    slave.bits = 0;
    slave.line = true;
    call(event, selected);
    if (selected) start_byte(slave, begin);
}

void Machine::clock_edge(Slave& s, bool rising, bool mosi, Event begin, Event end, bool always) {
    if (!s.selected && !always) return;
    if (rising) {
        s.in = static_cast<uint8_t>(s.in << 1 | mosi);
        if (++s.bits == 8) call(end, s.in);
    } else if (s.bits == 8) {
        if (s.selected) start_byte(s, begin);
        s.bits = 0;
    } else {
        s.line = !s.selected || (s.out << s.bits & 0x80);
    }
}

void Machine::pins_changed(uint32_t now, bool mosi) {
    const uint32_t changed = pins ^ now;
    pins = now;
    if (changed & 2) select(card, !(now & 2), kCardSelect, kCardBegin);
    if (changed & 4) select(radio, !(now & 4), kRadioSelect, kRadioBegin);
    if (changed & 8) call(kRadioEnable, now >> 3 & 1);
    if (changed & 1) {
        clock_edge(card, now & 1, mosi, kCardBegin, kCardEnd, true);
        clock_edge(radio, now & 1, mosi, kRadioBegin, kRadioEnd, false);
    }
}

void Machine::line_step(bool tx) {
    Line& l = line;
    if (l.sending != 0) {
        if (cycle >= l.next_bit) {
            l.next_bit += l.bit_cycles;
            l.level = l.frame & 1;
            l.frame = static_cast<uint16_t>(l.frame >> 1 | 0x8000);
            --l.sending;
        }
    } else if (cycle >= l.next_bit) {
        l.level = true;
        if (!l.to_send.empty()) {
            // Start bit, eight data bits, stop bit.
            l.frame = static_cast<uint16_t>(l.to_send.front() << 1);
            l.to_send.pop_front();
            l.sending = 10;
            l.next_bit = cycle;
        }
    }
    if (l.receiving == 0) {
        if (!tx) {
            l.receiving = 10;
            l.taken = 0;
            l.sample_at = cycle + l.bit_cycles / 2;
        }
    } else if (cycle >= l.sample_at) {
        l.sample_at += l.bit_cycles;
        l.taken = static_cast<uint16_t>(l.taken >> 1 | (tx ? 0x200 : 0));
        if (--l.receiving == 0) {
            if (l.taken & 0x200) {
                l.received.push_back(static_cast<uint8_t>(l.taken >> 1));
            } else {
                ++l.framing_errors;
            }
        }
    }
}

uint32_t Machine::dice() {
    // xorshift64*: the same sequence on every host.
    random ^= random >> 12;
    random ^= random << 25;
    random ^= random >> 27;
    return static_cast<uint32_t>((random * 0x2545F4914F6CDD1DULL) >> 48);
}
