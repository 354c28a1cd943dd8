#include "token_request.hpp"

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::identity {

namespace {

/// The scheme of an `Authorization` header and what follows it.
struct Authorization {
    std::string_view scheme;
    std::string_view value;
};

Authorization split_authorization(std::string_view header) {
    header = sdk::trimmed(header);
    const std::size_t blank = header.find(' ');
    if (blank == std::string_view::npos) return {header, {}};
    return {header.substr(0, blank), sdk::trimmed(header.substr(blank + 1))};
}

}  // namespace

std::optional<FormFields> parse_form(std::string_view text) {
    FormFields fields;
    while (!text.empty()) {
        std::string_view encoded = sdk::take_until(text, '&');
        if (encoded.empty()) continue;
        std::string name;
        std::string value;
        if (!sdk::percent_decode(sdk::take_until(encoded, '='), name, true)) return std::nullopt;
        if (!sdk::percent_decode(encoded, value, true)) return std::nullopt;
        fields.try_emplace(std::move(name), std::move(value));
    }
    return fields;
}

std::optional<ClientCredentials> parse_basic(std::string_view header) {
    const Authorization authorization = split_authorization(header);
    if (!sdk::equals_ignoring_case(authorization.scheme, "basic")) return std::nullopt;
    const auto decoded = sdk::base64_bytes(authorization.value);
    if (!decoded) return std::nullopt;
    const std::size_t colon = decoded->find(':');
    if (colon == std::string::npos) return std::nullopt;
    return ClientCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

QualifiedName split_qualified(std::string_view form) {
    const std::size_t slash = form.find('/');
    if (slash == std::string_view::npos) return {{}, form};
    return {form.substr(0, slash), form.substr(slash + 1)};
}

}  // namespace stele::identity
