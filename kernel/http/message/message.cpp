#include "kernel/http/message/message.hpp"

#include <stele/sdk/letter_case.hpp>

namespace stele::kernel::http {

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const auto& [present, value] : headers) {
        if (sdk::equals_ignoring_case(present, name)) return value;
    }
    return std::nullopt;
}

}  // namespace stele::kernel::http
