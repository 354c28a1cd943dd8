#include "email_provider.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/log.hpp>

#include "email.hpp"
#include "mail/mail_account.hpp"

namespace stele::email_providers {

namespace {

/// The email that `email` names, if the caller may read it.
sdk::Result<sdk::Document> readable_email(const sdk::Call& call) {
    auto id = call.required_parameter("email");
    if (!id) return id.error();
    sdk::Context& context = call.context();
    auto email = context.documents().read({kEmailType, call.collection().container}, *id);
    if (!email && !sdk::is_missing(email.error())) return email;
    if (email) {
        auto is_readable = sdk::holds(context, email->key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        if (*is_readable) return email;
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "email_providers.email_unknown",
                           "the application has no email " + *id + ", or none that you may read");
}

sdk::Json reply_members(const MailAccount& account, const MailMessage& message,
                        const Delivery& delivery, bool is_delivered) {
    sdk::Json members = {{"messageId", message.id},
                         {"delivered", is_delivered && delivery.captured_as.empty()},
                         {"recipients", message.recipients.size() - delivery.refused.size()}};
    if (!delivery.captured_as.empty()) {
        members["captured"] = delivery.captured_as;
    } else if (is_delivered) {
        members["server"] = account.server();
        members["security"] = std::string(security_name(account.security));
        members["reply"] = delivery.reply;
    }
    if (delivery.refused.empty()) return members;
    sdk::Json refused = sdk::Json::array();
    for (const Refusal& refusal : delivery.refused)
        refused.push_back({{"address", refusal.address}, {"reply", refusal.reply}});
    members["refused"] = std::move(refused);
    return members;
}

void log_outcome(const MailAccount& account, const MailMessage& message,
                 const sdk::Result<Delivery>& outcome) {
    const std::string mail = "mail " + message.id + " by provider " + account.provider_id;
    if (outcome) {
        sdk::log(sdk::LogLevel::info, "email_providers", mail + ": handed over");
    } else {
        sdk::log(sdk::LogLevel::warning, "email_providers",
                 mail + ": " + outcome.error().code + ": " + outcome.error().message + " " +
                     outcome.error().detail);
    }
}

/// Values of the placeholders by their names, and what is attached to the mail.
sdk::Shape model_shape() {
    using namespace sdk::shape;
    const sdk::Shape attachment = object({{"ref", text()}, optional("attachmentId", text())});
    return object({optional("_attachments", array(either({text(), attachment})))});
}

/// What `reply_members` makes, and `others`.
sdk::Shape sent_shape(std::vector<sdk::ShapeMember> others) {
    using namespace sdk::shape;
    const sdk::Shape refusal = object({{"address", text()}, {"reply", text()}});
    std::vector<sdk::ShapeMember> members{
        {"messageId", text()},      {"delivered", boolean()},
        {"recipients", integer()},  optional("captured", text()),
        optional("server", text()), optional("security", text({"none", "starttls", "tls"})),
        optional("reply", text()),  optional("refused", array(refusal))};
    members.insert(members.end(), others.begin(), others.end());
    return status(members);
}

sdk::Actions provider_actions() {
    using sdk::shape::text;
    const std::vector<sdk::Parameter> addresses{{"from", true}, {"to", true}};
    return {{.name = "send",
             .run = sdk::action<&EmailProvider::send>(),
             .parameters = {{"email", true}, {"resend", false, sdk::FieldKind::boolean}},
             .slow = true,
             .takes = model_shape(),
             .answers = sent_shape(
                 {{"_doc", text()}, sdk::shape::optional("missing", sdk::shape::array(text()))})},
            {.name = "test",
             .method = "PUT",
             .run = sdk::action<&EmailProvider::test>(),
             .parameters = addresses,
             .slow = true,
             .answers = sent_shape({})},
            {.name = "test",
             .run = sdk::action<&EmailProvider::test>(),
             .parameters = addresses,
             .slow = true,
             .answers = sent_shape({})}};
}

}  // namespace

sdk::ResourceDescriptor EmailProvider::describe() const {
    using enum sdk::FieldKind;
    // None is required: an empty create is accepted (docs/specification/platform.md 3.1).
    const sdk::Fields fields{
        {.name = "host", .kind = text},
        {.name = "port", .kind = integer, .numeric_text = true},
        {.name = "username", .kind = text},
        {.name = "password", .kind = text, .secret = true},
        {.name = "smtp_enabled", .kind = boolean},
        {.name = "smtp_requires_auth", .kind = boolean},
        {.name = "smtp_is_secure", .kind = boolean},
        {.name = "smtp_starttls_enabled", .kind = boolean},
    };
    return {.type = kProviderType,
            .container = "application",
            .path = "emailproviders",
            .placeholder = "emailProviderId",
            .container_member = "applicationId",
            .fields = fields,
            .actions = provider_actions(),
            .title = "email providers"};
}

sdk::Result<void> EmailProvider::prepare(sdk::Change& change, sdk::Context&) {
    if (!change.after) return {};
    read_nested_port(*change.after);
    keep_password_apart(*change.after, change.before);
    return {};
}

void EmailProvider::validate(const sdk::Change& change, sdk::Context&,
                             sdk::Violations& violations) {
    if (change.after) check_account(*change.after, violations);
}

sdk::Result<sdk::Reply> EmailProvider::send(const sdk::Call& call) {
    auto email = readable_email(call);
    if (!email) return email.error();
    auto resend = call.flag("resend");
    if (!resend) return resend.error();
    const MailAccount account = account_of(call.record());
    auto mail = composer_.compose(call.context(), *email, call.body(), account);
    if (!mail) return mail.error();
    if (auto ready = check_ready(account, is_capturing_); account.is_enabled && !ready)
        return ready.error();

    // The outbox writes as the system, whom no lock of the application keeps out.
    auto writable = call.context().data_stores().check_writable(email->key);
    if (!writable) return writable.error();
    const SendOrder order{call.context().platform(),
                          {kEmailType, call.collection().container},
                          email->id,
                          mail->message.id,
                          call.context().principal().qualified_id(),
                          resend->value_or(false)};
    auto outcome = outbox_.send(order, [&]() -> sdk::Result<Delivery> {
        // A disabled account takes the email as sent (docs/specification/platform.md 9).
        if (!account.is_enabled) return Delivery{};
        auto delivery = transport_.deliver(account, mail->message);
        log_outcome(account, mail->message, delivery);
        return delivery;
    });
    if (!outcome) return outcome.error();
    sdk::Json members = {{"_doc", email->id}};
    members.update(reply_members(account, mail->message, *outcome, account.is_enabled));
    if (!mail->missing.empty()) members["missing"] = mail->missing;
    return sdk::Reply::status(members);
}

sdk::Result<sdk::Reply> EmailProvider::test(const sdk::Call& call) {
    auto from = call.required_parameter("from");
    if (!from) return from.error();
    auto to = call.required_parameter("to");
    if (!to) return to.error();
    auto mail = composer_.compose_test(*from, *to);
    if (!mail) return mail.error();
    const MailAccount account = account_of(call.record());
    if (!account.is_enabled) {
        return sdk::make_error(sdk::ErrorKind::conflict, "email_providers.disabled",
                               "smtp_enabled of this provider is false: there is nothing to test");
    }
    if (auto ready = check_ready(account, is_capturing_); !ready) return ready.error();
    auto outcome = outbox_.send_unrecorded([&] {
        auto delivery = transport_.deliver(account, mail->message);
        log_outcome(account, mail->message, delivery);
        return delivery;
    });
    if (!outcome) return outcome.error();
    return sdk::Reply::status(reply_members(account, mail->message, *outcome, true));
}

}  // namespace stele::email_providers
