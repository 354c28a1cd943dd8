#pragma once

#include <cstdlib>

namespace stele::testing {

/// How often a test of chance repeats itself: `usual` times; a quarter of that under a sanitizer,
/// which finds its faults in the first rounds and makes each of them slow; ten times as often with
/// STELE_LONG=1.
inline int repetitions(int usual) {
    const bool is_long = std::getenv("STELE_LONG") != nullptr;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kPart = 4;
#else
    constexpr int kPart = 1;
#endif
    return is_long ? usual * 10 : (usual + kPart - 1) / kPart;
}

}  // namespace stele::testing
