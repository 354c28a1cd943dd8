#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/error.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::email_providers {

/// Somebody's address with the name to show before it, which may be empty.
struct Mailbox {
    std::string name;
    std::string address;
};

/// The address as it goes over the wire when the text is `local@domain` as SMTP takes it without
/// extensions: a local part of ASCII atoms, and a host name or an IP address in brackets. An
/// internationalized host name comes back in ASCII (`xn--…`). Nothing for other texts.
std::optional<std::string> wire_address(std::string_view text);

/// Whether the text holds a character that would end a header line or a command, or any other
/// control character: nothing of the kind goes to a mail server.
bool has_control_character(std::string_view text);

/// `a@b.example, Name <c@d.example>, "Last, First" <e@f.example>`. `invalid`
/// (`email_providers.address_malformed`) for anything else; empty items are skipped.
sdk::Result<std::vector<Mailbox>> parse_mailboxes(std::string_view text);

inline constexpr std::size_t kMaxMailboxes = 10'000;

/// The mailboxes of a member: a text, or an array of texts. Adds a violation for each of the
/// first wrong ones (`cc`, `cc.2`), and one when there are more than `kMaxMailboxes`.
std::vector<Mailbox> read_mailboxes(const sdk::Json& record, std::string_view member,
                                    sdk::Violations& violations);

}  // namespace stele::email_providers
