#pragma once

#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "mail/mail_address.hpp"

namespace stele::email_providers {

/// Everybody who is to get a mail.
struct Recipients {
    std::vector<Mailbox> to;
    std::vector<Mailbox> cc;
    /// Name of the addressed group; empty: none is.
    std::string group;
    /// Addresses of the envelope, each once: `to`, `cc`, `bcc`, the group's members.
    std::vector<std::string> addresses;
    /// Qualified names of the group's members that have no usable address.
    std::vector<std::string> missing;
};

/// The recipients of an email: its addresses, and the principal that it names, whose direct members
/// stand for it when it is a group. `invalid` naming the member at fault when there is none, when
/// there are more than `limit`, or when the principal is unknown to the caller or has no address.
sdk::Result<Recipients> find_recipients(sdk::Context& context, sdk::PrincipalDirectory& principals,
                                        const sdk::Document& email, std::size_t limit);

}  // namespace stele::email_providers
