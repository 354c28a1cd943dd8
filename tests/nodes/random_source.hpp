#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace stele::tests {

/// The choices of a test of chance; the same for the same seed.
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

    std::size_t below(std::size_t end) { return engine_() % end; }
    bool one_in(std::size_t number) { return below(number) == 0; }
    template <class T>
    const T& any_of(const std::vector<T>& values) {
        return values[below(values.size())];
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace stele::tests
