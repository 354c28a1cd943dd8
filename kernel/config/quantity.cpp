#include "kernel/config/quantity.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace stele::kernel::config {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t size;
};

constexpr std::array<Unit, 10> kSizes{{{"", 1},
                                       {"B", 1},
                                       {"KiB", 1LL << 10},
                                       {"MiB", 1LL << 20},
                                       {"GiB", 1LL << 30},
                                       {"TiB", 1LL << 40},
                                       {"kB", 1'000},
                                       {"MB", 1'000'000},
                                       {"GB", 1'000'000'000},
                                       {"TB", 1'000'000'000'000}}};

constexpr std::array<Unit, 5> kTimes{
    {{"ms", 1}, {"s", 1'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

std::optional<std::int64_t> parse_quantity(std::string_view text, std::span<const Unit> units) {
    std::int64_t count = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || count < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    for (const Unit& unit : units) {
        if (text != unit.name) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / unit.size) return std::nullopt;
        return count * unit.size;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    return parse_quantity(text, kSizes);
}

std::optional<std::int64_t> parse_milliseconds(std::string_view text) {
    if (text == "0") return 0;  // the one time that needs no unit
    return parse_quantity(text, kTimes);
}

}  // namespace stele::kernel::config
