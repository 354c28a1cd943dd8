#include <stele/sdk/regex_weight.hpp>

#include <algorithm>
#include <utility>

namespace stele::sdk {

namespace {

/// A class like \pL is a list of hundreds of ranges.
constexpr std::size_t kClassWeight = 50;

/// The largest number between braces; 0 where they hold anything else.
std::size_t repetitions(std::string_view braces) {
    std::size_t most = 0;
    std::size_t number = 0;
    for (const char c : braces) {
        if (c == '}') return std::max(most, number);
        if (c == ',') {
            most = std::max(most, std::exchange(number, 0));
        } else if (c >= '0' && c <= '9') {
            if (number <= kMaxRegexWeight) number = number * 10 + static_cast<std::size_t>(c - '0');
        } else {
            return 0;
        }
    }
    return 0;
}

}  // namespace

std::size_t regex_weight(std::string_view pattern) {
    std::size_t weight = pattern.size();
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
        const char next = pattern[i + 1];
        if (pattern[i] == '{') weight += repetitions(pattern.substr(i + 1));
        if (pattern[i] == '\\' && (next == 'p' || next == 'P')) weight += kClassWeight;
    }
    return weight;
}

}  // namespace stele::sdk
