#pragma once

#include <string>
#include <vector>

#include <stele/sdk/result.hpp>

#include "mail_account.hpp"
#include "mail_message.hpp"

namespace stele::email_providers {

struct Refusal {
    std::string address;
    /// What the server said.
    std::string reply;
};

/// A mail that was handed over.
struct Delivery {
    /// The server's last word on the mail.
    std::string reply;
    /// Recipients that do not get it; only where the message tolerates them.
    std::vector<Refusal> refused;
    /// File that holds the mail in place of a delivery; empty: it was delivered.
    std::string captured_as;
};

/// The code of failures after which nobody knows whether the mail was taken: it must not be sent
/// again without being asked for.
inline constexpr char kOutcomeUnknown[] = "email_providers.outcome_unknown";

/// Hands mails over. One attempt, in bounded time, all or nothing.
class MailTransport {
public:
    virtual ~MailTransport() = default;

    /// Any thread. Waits.
    virtual sdk::Result<Delivery> deliver(const MailAccount& account,
                                          const MailMessage& message) = 0;
};

}  // namespace stele::email_providers
