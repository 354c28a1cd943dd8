#pragma once

namespace stele::testing {

/// Stops the fuzzer, which then keeps the input, when a promise is broken.
inline void fuzz_check(bool holds) {
    if (!holds) __builtin_trap();
}

}  // namespace stele::testing
