#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        c = lower_case(c);
    return lower;
}

}  // namespace stele::sdk
