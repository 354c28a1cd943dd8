#pragma once

#include <cstdlib>

/// Whether this is the fault that was chosen. Included by run.mjs into the sources with faults.
inline bool stele_fault(int number) {
    static const int chosen = [] {
        const char* const text = std::getenv("FAULT_OF_STELE");
        return text == nullptr ? 0 : std::atoi(text);
    }();
    return number == chosen;
}
