#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/attachment_reader.hpp>

#include "mail_address.hpp"

namespace stele::email_providers {

/// What a mail says and to whom, before it is written down. No text holds control characters where
/// it becomes a header, and none holds a NUL.
struct MailContent {
    Mailbox from;
    std::vector<Mailbox> reply_to;
    std::vector<Mailbox> to;
    std::vector<Mailbox> cc;
    /// Named in the header in place of its members, who are not shown to one another.
    std::string to_group;
    std::string subject;
    std::optional<std::string> text;
    std::optional<std::string> html;
    std::vector<sdk::AttachmentContent> attachments;
};

/// A mail as it goes over the wire.
struct MailMessage {
    /// Without angle brackets.
    std::string id;
    /// Envelope: the sender's address and everybody who gets the mail, each once.
    std::string sender;
    std::vector<std::string> recipients;
    /// Refused recipients do not keep the mail from the others.
    bool tolerates_refusals = false;
    /// RFC 5322 text in ASCII: lines end with CRLF and have at most 998 characters.
    std::string bytes;
};

/// Once, before the first `write_message`.
void init_message_writer();

/// The text of a mail: MIME, encoded words, quoted-printable texts, base64 attachments,
/// multipart/alternative when there is text and HTML. `date_ms` is epoch milliseconds. Any thread.
std::string write_message(const MailContent& content, const std::string& message_id,
                          std::int64_t date_ms);

}  // namespace stele::email_providers
