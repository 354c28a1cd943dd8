#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stele::identity {

/// Parameters of a form, decoded; of a repeated one the first counts.
using FormFields = std::map<std::string, std::string, std::less<>>;

/// Reads `application/x-www-form-urlencoded` text; nothing when its encoding is broken.
std::optional<FormFields> parse_form(std::string_view text);

/// How a client presents itself.
struct ClientCredentials {
    std::string key;
    std::string secret;
};

/// Reads an `Authorization: Basic …` header: base64 of `key:secret`, both raw text, not
/// percent-encoded (docs/specification/platform.md 2.1). Nothing when it is none.
std::optional<ClientCredentials> parse_basic(std::string_view header);

/// The parts of a username or principal form: `domain/name`; no domain when unqualified.
struct QualifiedName {
    std::string_view domain;
    std::string_view name;
};
QualifiedName split_qualified(std::string_view form);

}  // namespace stele::identity
