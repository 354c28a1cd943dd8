#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/documents.hpp>
#include <stele/sdk/error.hpp>

namespace stele::email_providers {

enum class ConnectionSecurity {
    none,
    starttls,  ///< TLS after the greeting; never goes on without
    tls,       ///< TLS from the first byte
};

std::string_view security_name(ConnectionSecurity security);

/// An email provider, read. Holds the password in clear: never logged, never part of a reply.
struct MailAccount {
    std::string provider_id;
    std::string host;
    std::uint16_t port = 0;
    ConnectionSecurity security = ConnectionSecurity::none;
    bool is_enabled = true;
    bool requires_auth = false;
    std::string username;
    std::string password;

    /// `host:port`, for people.
    std::string server() const;
};

/// The account of a provider's record. Members may lie in the record itself or in its member
/// `config` (docs/specification/platform.md 9); the record's own win.
MailAccount account_of(const sdk::Document& provider);

/// Makes a port that stands in `config` as text a number, as the record's own is.
void read_nested_port(sdk::Document& provider);

/// Moves a password out of `config` to the secrets, and takes the mask that clients show in place
/// of a password for "as it was".
void keep_password_apart(sdk::Document& provider, const sdk::Document* before);

/// Adds what is wrong with host, port, user name and password.
void check_account(const sdk::Document& provider, sdk::Violations& violations);

/// What keeps the account from sending anything, before a server is asked. `is_capturing`: mails
/// are kept, which needs no server.
sdk::Result<void> check_ready(const MailAccount& account, bool is_capturing);

/// A host name, an IPv4 address, or an IPv6 address with or without brackets.
bool is_mail_host(std::string_view text);

}  // namespace stele::email_providers
