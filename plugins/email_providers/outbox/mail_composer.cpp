#include "mail_composer.hpp"

#include <glib.h>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "placeholders.hpp"
#include "recipients.hpp"

namespace stele::email_providers {

namespace {

constexpr char kAttachments[] = "_attachments";
constexpr char kDefaultAttachment[] = "default";
constexpr std::size_t kMessageIdBytes = 16;

sdk::Error wrong(std::string member, const char* code, const std::string& problem) {
    return sdk::make_error({{std::move(member), code, problem}});
}

bool is_media_type(const std::string& content_type, std::string_view wanted) {
    return g_ascii_strncasecmp(content_type.c_str(), wanted.data(), wanted.size()) == 0;
}

/// A text that says of itself that it is an HTML document.
bool is_html_document(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return false;
    const char* start = text.c_str() + begin;
    return g_ascii_strncasecmp(start, "<!doctype html", 14) == 0 ||
           g_ascii_strncasecmp(start, "<html", 5) == 0;
}

sdk::Result<std::string> filled_text(const std::string& text, const sdk::Json& model, bool is_html,
                                     const char* member, std::size_t most) {
    auto filled = fill_in(text, model, is_html ? PlaceholderText::html : PlaceholderText::plain,
                          member, most);
    if (!filled) return filled;
    const bool is_text =
        filled->find('\0') == std::string::npos &&
        g_utf8_validate(filled->data(), static_cast<gssize>(filled->size()), nullptr) != FALSE;
    if (is_text) return filled;
    return wrong(member, "email_providers.text_malformed",
                 std::string("the text of ") + member + " is not UTF-8, or holds NUL characters");
}

/// The one sender: the email's own, else the account's user name where it is an address.
sdk::Result<Mailbox> sender_of(const sdk::Json& fields, const MailAccount& account) {
    sdk::Violations violations;
    const auto mailboxes = read_mailboxes(fields, "from", violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    if (mailboxes.size() == 1) return mailboxes.front();
    if (const auto address = wire_address(account.username); mailboxes.empty() && address) {
        return Mailbox{"", *address};
    }
    return wrong("from", "email_providers.sender_missing",
                 mailboxes.empty() ? "the email has no sender, and the provider's username is no "
                                     "mail address that could stand for it"
                                   : "from must be one mail address");
}

sdk::Result<std::string> reference_of(const sdk::Json& entry, const std::string& member) {
    if (entry.is_string()) return entry.get<std::string>();
    std::string reference = sdk::text_member(entry, "ref");
    if (!reference.empty()) return reference;
    return wrong(member, "email_providers.attachment_malformed",
                 member + " must be a reference, or an object with ref and attachmentId");
}

}  // namespace

sdk::Result<ComposedMail> MailComposer::compose(sdk::Context& context, const sdk::Document& email,
                                                const sdk::Json& model,
                                                const MailAccount& account) {
    if (!model.is_object()) {
        return wrong("body", "body.not_an_object", "the body must be a JSON object");
    }
    MailContent content;
    auto from = sender_of(email.fields, account);
    if (!from) return from.error();
    content.from = *from;
    sdk::Violations violations;
    content.reply_to = read_mailboxes(email.fields, "replyTo", violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    auto recipients = find_recipients(context, principals_, email, limits_.recipients);
    if (!recipients) return recipients.error();
    content.to = std::move(recipients->to);
    content.cc = std::move(recipients->cc);
    content.to_group = recipients->group;

    auto subject = fill_in(sdk::text_member(email.fields, "subject"), model,
                           PlaceholderText::header_line, "subject", limits_.message_bytes);
    if (!subject) return subject.error();
    if (has_control_character(*subject)) {
        return wrong("subject", "email_providers.header_malformed",
                     "subject must not hold line breaks or other control characters");
    }
    content.subject = std::move(*subject);
    if (auto added = add_body(context, email.fields, model, content); !added) return added.error();
    if (auto added = add_attachments(context, model, content); !added) return added.error();
    auto mail = finish(content, std::move(recipients->addresses));
    if (!mail) return mail;
    mail->missing = std::move(recipients->missing);
    mail->message.tolerates_refusals = !recipients->group.empty();
    return mail;
}

sdk::Result<ComposedMail> MailComposer::compose_test(std::string_view from, std::string_view to) {
    MailContent content;
    const sdk::Json parameters = {{"from", std::string(from)}, {"to", std::string(to)}};
    sdk::Violations violations;
    const auto senders = read_mailboxes(parameters, "from", violations);
    const auto receivers = read_mailboxes(parameters, "to", violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    if (senders.size() != 1 || receivers.size() != 1) {
        const char* member = senders.size() == 1 ? "to" : "from";
        return wrong(member, "email_providers.address_malformed",
                     std::string(member) + " must be one mail address");
    }
    content.from = senders.front();
    content.to = receivers;
    content.subject = "Test of an email provider";
    content.text = "This mail was sent to find out whether an email provider works. It does.\n";
    return finish(content, {receivers.front().address});
}

sdk::Result<void> MailComposer::add_body(sdk::Context& context, const sdk::Json& fields,
                                         const sdk::Json& model, MailContent& content) {
    const std::string html = sdk::text_member(fields, "html");
    if (!html.empty()) {
        auto filled = filled_text(html, model, true, "html", limits_.message_bytes);
        if (!filled) return filled.error();
        content.html = std::move(*filled);
    }
    const std::string body = sdk::text_member(fields, "body");
    if (body.empty() && !sdk::text_member(fields, "bodyNodeId").empty()) {
        return add_node_body(context, fields, model, content);
    }
    if (body.empty()) return {};
    const bool is_html = !content.html && is_html_document(body);
    auto filled = filled_text(body, model, is_html, "body", limits_.message_bytes);
    if (!filled) return filled.error();
    (is_html ? content.html : content.text) = std::move(*filled);
    return {};
}

sdk::Result<void> MailComposer::add_node_body(sdk::Context& context, const sdk::Json& fields,
                                              const sdk::Json& model, MailContent& content) {
    constexpr char kMember[] = "bodyNodeId";
    std::string branch = sdk::text_member(fields, "bodyBranchId");
    if (branch.empty()) branch = "master";
    std::string attachment_id = sdk::text_member(fields, "bodyAttachmenTId");
    if (attachment_id.empty()) attachment_id = sdk::text_member(fields, "bodyAttachmentId");
    if (attachment_id.empty()) attachment_id = kDefaultAttachment;
    const std::string reference = "node://" + context.platform().id + "/" +
                                  sdk::text_member(fields, "bodyRepositoryId") + "/" + branch +
                                  "/" + sdk::text_member(fields, kMember);
    auto attachment = read_attachment(context, kMember, reference, attachment_id);
    if (!attachment) return attachment.error();
    if (!is_media_type(attachment->content_type, "text/")) {
        return wrong(
            kMember, "email_providers.text_malformed",
            "the attachment that is to be the body is no text but " + attachment->content_type);
    }
    const bool is_html = is_media_type(attachment->content_type, "text/html");
    auto filled = filled_text(attachment->bytes, model, is_html, kMember, limits_.message_bytes);
    if (!filled) return filled.error();
    (is_html ? content.html : content.text) = std::move(*filled);
    return {};
}

sdk::Result<void> MailComposer::add_attachments(sdk::Context& context, const sdk::Json& model,
                                                MailContent& content) {
    const auto entries = model.find(kAttachments);
    if (entries == model.end() || entries->is_null()) return {};
    if (!entries->is_array()) {
        return wrong(kAttachments, "field.kind_wrong",
                     std::string(kAttachments) + " must be an array of references");
    }
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const std::string member = std::string(kAttachments) + "." + std::to_string(i);
        const sdk::Json& entry = (*entries)[i];
        auto reference = reference_of(entry, member);
        if (!reference) return reference.error();
        std::string id = sdk::text_member(entry, "attachmentId");
        if (id.empty()) id = kDefaultAttachment;
        auto attachment = read_attachment(context, member, *reference, id);
        if (!attachment) return attachment.error();
        size += attachment->bytes.size();
        if (size > limits_.message_bytes) {
            return sdk::make_error(sdk::ErrorKind::too_large, "email_providers.message_too_large",
                                   "the attachments together are beyond the limit of a mail");
        }
        content.attachments.push_back(std::move(*attachment));
    }
    return {};
}

sdk::Result<sdk::AttachmentContent> MailComposer::read_attachment(
    sdk::Context& context, const std::string& member, const std::string& reference,
    const std::string& attachment_id) {
    auto is_of_record = records_.keeps(context, reference);
    if (!is_of_record) return is_of_record.error();
    sdk::AttachmentReader* reader = *is_of_record ? &records_ : find_attachments_();
    if (!reader) {
        return wrong(member, "email_providers.attachments_unavailable",
                     member + ": no enabled plugin of this server keeps attachments");
    }
    auto attachment = reader->read(context, reference, attachment_id, limits_.message_bytes);
    if (attachment) return attachment;
    const sdk::ErrorKind kind = attachment.error().kind;
    if (kind == sdk::ErrorKind::not_found || kind == sdk::ErrorKind::invalid ||
        kind == sdk::ErrorKind::forbidden) {
        return wrong(member, "email_providers.attachment_unknown",
                     member + ": there is no attachment " + attachment_id + " at " + reference +
                         ", or none that you may read");
    }
    return attachment;
}

sdk::Result<ComposedMail> MailComposer::finish(const MailContent& content,
                                               std::vector<std::string> recipients) const {
    ComposedMail mail;
    const std::string& sender = content.from.address;
    mail.message.id = sdk::random_hex(kMessageIdBytes) + sender.substr(sender.rfind('@'));
    mail.message.sender = sender;
    mail.message.recipients = std::move(recipients);
    mail.message.bytes = write_message(content, mail.message.id, sdk::now_ms());
    if (mail.message.bytes.size() <= limits_.message_bytes) return mail;
    return sdk::make_error(sdk::ErrorKind::too_large, "email_providers.message_too_large",
                           "the mail has " + std::to_string(mail.message.bytes.size()) +
                               " bytes, at most " + std::to_string(limits_.message_bytes) +
                               " are allowed");
}

}  // namespace stele::email_providers
