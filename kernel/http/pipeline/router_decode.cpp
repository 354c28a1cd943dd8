#include <stele/sdk/encoding.hpp>
#include <stele/sdk/text.hpp>

#include "kernel/http/pipeline/router.hpp"

namespace stele::kernel::http {

bool percent_decode(std::string_view text, std::string& decoded, bool plus_is_blank) {
    return sdk::percent_decode(text, decoded, plus_is_blank) &&
           decoded.find('\0') == std::string::npos && sdk::is_utf8(decoded);
}

}  // namespace stele::kernel::http
