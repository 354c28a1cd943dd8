#include "token_request.hpp"

#include <algorithm>
#include <cstdint>

#include <stele/sdk/letter_case.hpp>

namespace stele::identity {

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// The scheme of an `Authorization` header and what follows it.
struct Authorization {
    std::string_view scheme;
    std::string_view value;
};

Authorization split_authorization(std::string_view header) {
    header = trimmed(header);
    const std::size_t blank = header.find(' ');
    if (blank == std::string_view::npos) return {header, {}};
    return {header.substr(0, blank), trimmed(header.substr(blank + 1))};
}

}  // namespace

std::optional<std::string> base64_decoded(std::string_view text) {
    while (!text.empty() && text.back() == '=')
        text.remove_suffix(1);
    std::string decoded;
    std::uint32_t bits = 0;
    int bit_count = 0;
    for (char c : text) {
        int value = -1;
        if (c >= 'A' && c <= 'Z') value = c - 'A';
        if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
        if (c >= '0' && c <= '9') value = c - '0' + 52;
        if (c == '+' || c == '-') value = 62;
        if (c == '/' || c == '_') value = 63;
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        decoded.push_back(static_cast<char>(bits >> bit_count & 0xff));
    }
    // One left-over character cannot make a byte.
    if (bit_count == 6) return std::nullopt;
    return decoded;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            decoded.push_back(' ');
            continue;
        }
        if (text[i] != '%') {
            decoded.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_value(text[i + 1]);
        const int low = hex_value(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        decoded.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return decoded;
}

std::optional<FormFields> parse_form(std::string_view text) {
    FormFields fields;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto name = percent_decoded(pair.substr(0, equals), true);
        auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!name || !value) return std::nullopt;
        fields.try_emplace(*std::move(name), *std::move(value));
    }
    return fields;
}

std::optional<ClientCredentials> parse_basic(std::string_view header) {
    const Authorization authorization = split_authorization(header);
    if (!sdk::equals_ignoring_case(authorization.scheme, "basic")) return std::nullopt;
    const auto decoded = base64_decoded(authorization.value);
    if (!decoded) return std::nullopt;
    const std::size_t colon = decoded->find(':');
    if (colon == std::string::npos) return std::nullopt;
    return ClientCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

std::string_view bearer_of(std::string_view header) {
    const Authorization authorization = split_authorization(header);
    if (!sdk::equals_ignoring_case(authorization.scheme, "bearer")) return {};
    return authorization.value;
}

std::string_view cookie_value(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(';'), header.size());
        const std::string_view pair = trimmed(header.substr(0, end));
        header.remove_prefix(std::min(end + 1, header.size()));
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || trimmed(pair.substr(0, equals)) != name) continue;
        std::string_view value = trimmed(pair.substr(equals + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        return value;
    }
    return {};
}

QualifiedName split_qualified(std::string_view form) {
    const std::size_t slash = form.find('/');
    if (slash == std::string_view::npos) return {{}, form};
    return {form.substr(0, slash), form.substr(slash + 1)};
}

}  // namespace stele::identity
