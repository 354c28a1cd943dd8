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

/// The error for the caller: what failed, at which server, and the server's reply. What a
/// repetition may mend is `unavailable` or `timed_out`, what it cannot mend is `conflict`.
sdk::Error smtp_error(const SmtpFailure& failure, const SmtpConversation& conversation,
                      const MailAccount& account, const MailMessage& message);

}  // namespace stele::email_providers
