#include "kernel/http/message.hpp"

#include "kernel/http/message_text.hpp"

namespace stele::kernel::http {

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const auto& [present, value] : headers) {
        if (equals_ignoring_case(present, name)) return value;
    }
    return std::nullopt;
}

}  // namespace stele::kernel::http
