#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/services/attachment_reader.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "mail/mail_account.hpp"
#include "mail/mail_message.hpp"
#include "outbox/record_attachments.hpp"

namespace stele::email_providers {

struct ComposedMail {
    MailMessage message;
    /// Members of the addressed group that have no usable address.
    std::vector<std::string> missing;
};

struct ComposerLimits {
    std::size_t recipients = 1000;
    std::uint64_t message_bytes = 26'214'400;
};

/// Turns a stored email and a model for its placeholders into a mail. Reads, writes nothing.
class MailComposer {
public:
    /// `find_attachments` answers null while no enabled plugin keeps attachments of nodes; those of
    /// other records are read by `records`, which outlives it.
    MailComposer(sdk::PrincipalDirectory& principals, RecordAttachments& records,
                 std::function<sdk::AttachmentReader*()> find_attachments, ComposerLimits limits)
        : principals_(principals),
          records_(records),
          find_attachments_(std::move(find_attachments)),
          limits_(limits) {}

    /// `invalid` names the member of the email, or of the model (`_attachments.0`), that stands in
    /// the way; `too_large` beyond the limit.
    sdk::Result<ComposedMail> compose(sdk::Context& context, const sdk::Document& email,
                                      const sdk::Json& model, const MailAccount& account);

    /// The mail that proves that an account works. `invalid` names `from` or `to`.
    sdk::Result<ComposedMail> compose_test(std::string_view from, std::string_view to);

private:
    sdk::Result<void> add_body(sdk::Context& context, const sdk::Json& fields,
                               const sdk::Json& model, MailContent& content);
    sdk::Result<void> add_node_body(sdk::Context& context, const sdk::Json& fields,
                                    const sdk::Json& model, MailContent& content);
    sdk::Result<void> add_attachments(sdk::Context& context, const sdk::Json& model,
                                      MailContent& content);
    sdk::Result<sdk::AttachmentContent> read_attachment(sdk::Context& context,
                                                        const std::string& member,
                                                        const std::string& reference,
                                                        const std::string& attachment_id);
    sdk::Result<ComposedMail> finish(const MailContent& content,
                                     std::vector<std::string> recipients) const;

    sdk::PrincipalDirectory& principals_;
    RecordAttachments& records_;
    std::function<sdk::AttachmentReader*()> find_attachments_;
    ComposerLimits limits_;
};

}  // namespace stele::email_providers
