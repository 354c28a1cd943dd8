#pragma once

#include <cstdlib>
#include <fstream>

namespace stele::loader_test {

/// Leaves a file behind when code of the library runs, be it only a static constructor. The test
/// names the file in the environment.
struct Witness {
    Witness() {
        if (const char* file = std::getenv("STELE_LOADER_WITNESS")) std::ofstream(file) << "ran";
    }
};

inline const Witness witness;

}  // namespace stele::loader_test
