#include "mail_address.hpp"

#include <algorithm>

#include <arpa/inet.h>
#include <gmime/gmime.h>

#include <nlohmann/json.hpp>

#include <stele/sdk/text.hpp>

namespace stele::email_providers {

namespace {

// RFC 5321, 4.5.3.1.
constexpr std::size_t kLocalLength = 64;
constexpr std::size_t kAddressLength = 254;
constexpr std::size_t kLabelLength = 63;

bool is_beyond_ascii(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}

bool is_ascii(std::string_view text) {
    return std::none_of(text.begin(), text.end(), is_beyond_ascii);
}

/// Whether a label claims to be an international one in ASCII, which GMime takes apart again.
bool has_encoded_label(std::string_view address) {
    return address.find("xn--") != std::string_view::npos;
}

/// GMime knows how international host names are written; nothing when this is none.
std::optional<std::string> in_ascii(const std::string& address) {
    InternetAddress* mailbox = internet_address_mailbox_new(nullptr, address.c_str());
    std::string ascii = internet_address_mailbox_get_idn_addr(INTERNET_ADDRESS_MAILBOX(mailbox));
    g_object_unref(mailbox);
    if (!is_ascii(ascii)) return std::nullopt;
    return ascii;
}

bool is_atom(std::string_view text) {
    static constexpr std::string_view kSigns = "!#$%&'*+-/=?^_`{|}~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return sdk::is_letter_or_digit(c) || kSigns.find(c) != std::string_view::npos;
    });
}

bool is_label(std::string_view text) {
    if (text.empty() || text.size() > kLabelLength) return false;
    if (text.front() == '-' || text.back() == '-') return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return sdk::is_letter_or_digit(c) || c == '-' || is_beyond_ascii(c);
    });
}

template <class Predicate>
bool is_dotted(std::string_view text, Predicate is_part) {
    while (true) {
        const std::size_t dot = text.find('.');
        if (!is_part(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool is_address_literal(std::string_view text) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
    std::string inner(text.substr(1, text.size() - 2));
    unsigned char bytes[16];
    static constexpr std::string_view kTag = "IPv6:";
    if (inner.compare(0, kTag.size(), kTag) == 0) {
        return ::inet_pton(AF_INET6, inner.c_str() + kTag.size(), bytes) == 1;
    }
    return ::inet_pton(AF_INET, inner.c_str(), bytes) == 1;
}

/// The end of the item that begins at `text`: the next comma outside of quotes and angle brackets.
std::size_t item_end(std::string_view text) {
    bool is_quoted = false;
    bool is_bracketed = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_quoted && c == '\\') {
            ++i;
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && (c == '<' || c == '>')) {
            is_bracketed = c == '<';
        } else if (c == ',' && !is_quoted && !is_bracketed) {
            return i;
        }
    }
    return text.size();
}

/// A name without its quotes and backslashes; false when they do not match.
bool read_name(std::string_view text, std::string& name) {
    if (text.empty() || text.front() != '"') {
        name = text;
        return text.find_first_of("\"<>") == std::string_view::npos;
    }
    std::size_t i = 1;
    for (; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        name += text[i];
    }
    return i + 1 == text.size();
}

bool read_mailbox(std::string_view text, Mailbox& mailbox) {
    const bool is_bare = text.back() != '>';
    const std::size_t bracket = is_bare ? 0 : text.rfind('<');
    if (bracket == std::string_view::npos) return false;
    auto address =
        wire_address(is_bare ? text : text.substr(bracket + 1, text.size() - bracket - 2));
    if (!address) return false;
    mailbox.address = std::move(*address);
    return is_bare || read_name(sdk::trimmed(text.substr(0, bracket)), mailbox.name);
}

/// Of a text in a message to the caller.
std::string beginning_of(std::string_view text) {
    std::size_t length = 60;
    if (text.size() <= length) return std::string(text);
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length;
    return std::string(text.substr(0, length)) + "...";
}

sdk::Error too_many_mailboxes() {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "email_providers.recipients_too_many",
        "must not hold more than " + std::to_string(kMaxMailboxes) + " mail addresses");
}

sdk::Error malformed(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "email_providers.address_malformed", problem);
}

void read_into(std::vector<Mailbox>& mailboxes, const sdk::Json& value, const std::string& path,
               sdk::Violations& violations) {
    if (!value.is_string()) {
        violations.push_back({path, "field.kind_wrong", path + " must be a string"});
        return;
    }
    auto parsed = parse_mailboxes(value.get_ref<const std::string&>());
    if (!parsed) {
        violations.push_back({path, parsed.error().code, path + " " + parsed.error().message});
        return;
    }
    mailboxes.insert(mailboxes.end(), parsed->begin(), parsed->end());
}

}  // namespace

std::optional<std::string> wire_address(std::string_view text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string_view::npos || at > kLocalLength || text.size() > kAddressLength) {
        return std::nullopt;
    }
    const std::string_view domain = text.substr(at + 1);
    const bool is_address = is_dotted(text.substr(0, at), is_atom) &&
                            (is_dotted(domain, is_label) || is_address_literal(domain));
    if (!is_address) return std::nullopt;
    std::string address(text);
    return is_ascii(address) && !has_encoded_label(address) ? address : in_ascii(address);
}

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

sdk::Result<std::vector<Mailbox>> parse_mailboxes(std::string_view text) {
    if (has_control_character(text)) {
        return malformed("must not hold line breaks or other control characters");
    }
    std::vector<Mailbox> mailboxes;
    while (!text.empty()) {
        const std::size_t end = item_end(text);
        const std::string_view item = sdk::trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (item.empty()) continue;
        Mailbox mailbox;
        if (!read_mailbox(item, mailbox)) {
            return malformed("holds '" + beginning_of(item) +
                             "', which is no mail address; one looks like name@example.org or "
                             "Name <name@example.org>");
        }
        mailboxes.push_back(std::move(mailbox));
        if (mailboxes.size() > kMaxMailboxes) return too_many_mailboxes();
    }
    return mailboxes;
}

std::vector<Mailbox> read_mailboxes(const sdk::Json& record, std::string_view member,
                                    sdk::Violations& violations) {
    std::vector<Mailbox> mailboxes;
    const auto value = record.find(member);
    if (value == record.end() || value->is_null()) return mailboxes;
    const std::string path(member);
    if (!value->is_array()) {
        read_into(mailboxes, *value, path, violations);
        return mailboxes;
    }
    constexpr std::size_t kMaxTold = 100;
    for (std::size_t i = 0; i < value->size() && violations.size() < kMaxTold; ++i) {
        read_into(mailboxes, (*value)[i], path + "." + std::to_string(i), violations);
        if (mailboxes.size() <= kMaxMailboxes) continue;
        const sdk::Error error = too_many_mailboxes();
        violations.push_back({path, error.code, path + " " + error.message});
        break;
    }
    return mailboxes;
}

}  // namespace stele::email_providers
