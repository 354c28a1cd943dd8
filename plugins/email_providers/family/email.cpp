#include "email.hpp"

#include <nlohmann/json.hpp>

#include "mail/mail_address.hpp"

namespace stele::email_providers {

sdk::ResourceDescriptor Email::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        // Each a text with addresses separated by commas, or an array of such texts.
        {.name = "to", .most = kMaxMailboxes},
        {.name = "cc", .most = kMaxMailboxes},
        {.name = "bcc", .most = kMaxMailboxes},
        {.name = "replyTo", .most = kMaxMailboxes},
        {.name = "from", .kind = text},
        {.name = "subject", .kind = text},
        {.name = "body", .kind = text, .unindexed = true},
        {.name = "html", .kind = text, .unindexed = true},
        {.name = "toDomainId", .kind = text},
        {.name = "toPrincipalId", .kind = text},
        {.name = "bodyRepositoryId", .kind = text},
        {.name = "bodyBranchId", .kind = text},
        {.name = "bodyNodeId", .kind = text},
        // The published drivers spell it so; the other spelling is the documented one.
        {.name = "bodyAttachmenTId", .kind = text},
        {.name = "bodyAttachmentId", .kind = text},
        {.name = "sent", .kind = boolean, .default_json = "false", .read_only = true},
        {.name = "sentOn", .kind = timestamp, .read_only = true},
        {.name = "sentBy", .kind = text, .read_only = true},
        {.name = "messageId", .kind = text, .read_only = true},
        {.name = "sending", .kind = object, .read_only = true},
        {.name = "lastError", .kind = object, .read_only = true},
    };
    sdk::ResourceDescriptor descriptor;
    descriptor.type = kEmailType;
    descriptor.container = "application";
    descriptor.container_member = "applicationId";
    descriptor.path = "emails";
    descriptor.placeholder = "emailId";
    descriptor.title = "emails";
    descriptor.fields = fields;
    // Every address is looked at.
    descriptor.slow_writes = true;
    return descriptor;
}

void Email::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (!change.after) return;
    const sdk::Json& fields = change.after->fields;
    for (const char* member : {"to", "cc", "bcc", "replyTo", "from"})
        read_mailboxes(fields, member, violations);
    const auto has = [&fields](const char* member, auto is_wrong) {
        const auto value = fields.find(member);
        return value != fields.end() && value->is_string() &&
               is_wrong(value->get_ref<const std::string&>());
    };
    if (has("subject", has_control_character)) {
        violations.push_back({"subject", "email_providers.header_malformed",
                              "subject must not hold line breaks or other control characters"});
    }
    const auto has_nul = [](const std::string& text) {
        return text.find('\0') != std::string::npos;
    };
    for (const char* member : {"body", "html"}) {
        if (!has(member, has_nul)) continue;
        violations.push_back({member, "email_providers.text_malformed",
                              std::string(member) + " must not hold NUL characters"});
    }
}

}  // namespace stele::email_providers
