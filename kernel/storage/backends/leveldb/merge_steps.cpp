#include "kernel/storage/backends/leveldb/merge_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kBytes = sizeof(std::uint64_t);
constexpr unsigned kBitsOfByte = 8;

/// The bytes of a key from `place` on as a number; those beyond its end are 0.
std::uint64_t number_at(std::string_view key, std::size_t place) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
        const std::size_t at = place + i;
        const auto byte = at < key.size() ? static_cast<unsigned char>(key[at]) : 0U;
        number = number << kBitsOfByte | byte;
    }
    return number;
}

/// A key about half-way; not behind the first where there is none between them.
std::string middle(const RemovedKeys::Range& range) {
    const auto& [first, last] = range;
    const auto common = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
    const std::uint64_t low = number_at(first, common);
    const std::uint64_t high = number_at(last, common);
    const std::uint64_t number = low + (high - low) / 2;
    std::string key = first.substr(0, common);
    for (std::size_t i = kBytes; i > 0; --i)
        key.push_back(static_cast<char>(number >> (i - 1) * kBitsOfByte & 0xff));
    return key;
}

}  // namespace

std::vector<RemovedKeys::Range> merge_steps(
    const RemovedKeys::Range& range, std::uint64_t most,
    const std::function<std::uint64_t(const RemovedKeys::Range&)>& size_of) {
    std::vector<RemovedKeys::Range> steps;
    std::vector<RemovedKeys::Range> left{range};
    while (!left.empty()) {
        RemovedKeys::Range part = std::move(left.back());
        left.pop_back();
        std::string half = middle(part);
        if (half <= part.first || half >= part.second || size_of(part) <= most) {
            steps.push_back(std::move(part));
            continue;
        }
        left.emplace_back(half, std::move(part.second));
        left.emplace_back(std::move(part.first), std::move(half));
    }
    return steps;
}

}  // namespace stele::kernel::storage
