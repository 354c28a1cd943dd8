#include <stele/sdk/credentials.hpp>

#include <algorithm>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

std::string_view behind_scheme(std::string_view text, std::string_view scheme) {
    const std::string_view found = take_until(text, ' ');
    return equals_ignoring_case(found, scheme) ? trimmed(text) : std::string_view();
}

std::string_view cookie_of(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        std::string_view cookie = take_until(text, ';');
        cookie.remove_prefix(std::min(cookie.find_first_not_of(' '), cookie.size()));
        const bool is_named =
            cookie.size() > name.size() && cookie[name.size()] == '=' && cookie.starts_with(name);
        if (is_named) return cookie.substr(name.size() + 1);
    }
    return {};
}

}  // namespace

std::string_view header_of(const CredentialPart& part) {
    using enum CredentialPart::Place;
    switch (part.place) {
        case parameter:
            return {};
        case authorization:
            return "Authorization";
        case header:
            return part.name;
        case cookie:
            return "Cookie";
    }
    return {};
}

std::string_view credential_in(const CredentialPart& part, std::string_view text) {
    using enum CredentialPart::Place;
    if (part.place == authorization) return behind_scheme(text, part.name);
    return part.place == cookie ? cookie_of(text, part.name) : text;
}

}  // namespace stele::sdk
