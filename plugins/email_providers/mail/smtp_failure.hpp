#pragma once

#include <string>

#include <curl/curl.h>

#include <stele/sdk/error.hpp>

#include "mail_account.hpp"
#include "mail_message.hpp"
#include "smtp_conversation.hpp"

namespace stele::email_providers {

/// How an attempt ended that did not deliver.
struct SmtpFailure {
    CURLcode code = CURLE_OK;
    /// libcurl's words; may be empty.
    std::string text;
    /// The host resolved to an address that the operator blocks.
    bool is_blocked = false;
};

/// Whether nothing that speaks SMTP has answered: nobody listens, somebody is silent, or speaks
/// something else. All of these end with the same error, and at the same time (`SmtpTransport`),
/// or the server would look for open ports on behalf of its callers.
bool is_unanswered(const SmtpFailure& failure, const SmtpConversation& conversation);

/// The error for the caller: what failed, at which server, and the server's reply. What a
/// repetition may mend is `unavailable` or `timed_out`, what it cannot mend is `conflict`.
sdk::Error smtp_error(const SmtpFailure& failure, const SmtpConversation& conversation,
                      const MailAccount& account, const MailMessage& message);

}  // namespace stele::email_providers
