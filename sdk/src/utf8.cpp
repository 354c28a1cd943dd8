#include "utf8.hpp"

namespace stele::sdk {

std::size_t utf8_sequence(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const auto is_between = [](int byte, int low, int high) { return byte >= low && byte <= high; };
    const auto is_tail = [&](std::size_t i) { return is_between(at(i), 0x80, 0xbf); };

    const int lead = at(0);
    if (is_between(lead, 0xc2, 0xdf)) return is_tail(1) ? 2 : 0;
    if (is_between(lead, 0xe0, 0xef)) {
        const int low = lead == 0xe0 ? 0xa0 : 0x80;
        const int high = lead == 0xed ? 0x9f : 0xbf;
        return is_between(at(1), low, high) && is_tail(2) ? 3 : 0;
    }
    if (is_between(lead, 0xf0, 0xf4)) {
        const int low = lead == 0xf0 ? 0x90 : 0x80;
        const int high = lead == 0xf4 ? 0x8f : 0xbf;
        return is_between(at(1), low, high) && is_tail(2) && is_tail(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace stele::sdk
