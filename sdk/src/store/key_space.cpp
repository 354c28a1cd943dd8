#include <stele/sdk/key_tuple.hpp>

namespace stele::sdk {

std::string plugin_key_space(std::uint64_t platform, std::string_view name) {
    return KeyWriter().integer(platform).tag('s').text(name).key();
}

}  // namespace stele::sdk
