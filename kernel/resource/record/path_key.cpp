#include "kernel/resource/record/path_key.hpp"

#include <algorithm>
#include <string>

namespace stele::kernel::resource {

namespace {
constexpr std::size_t kMaxKeyLength = 128;
}

sdk::Result<void> check_path_key(std::string_view key, std::string_view member,
                                 std::string_view code) {
    const bool has_control =
        std::any_of(key.begin(), key.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (!key.empty() && key.size() <= kMaxKeyLength && !has_control &&
        key.find_first_of("/\\?#") == std::string_view::npos) {
        return {};
    }
    return sdk::make_error(
        {{std::string(member), std::string(code),
          std::string(member) + " must have 1 to 128 characters and none of / \\ ? #"}});
}

}  // namespace stele::kernel::resource
