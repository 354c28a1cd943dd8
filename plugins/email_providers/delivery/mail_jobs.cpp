#include "mail_jobs.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "family/email.hpp"
#include "family/email_provider.hpp"
#include "mail/mail_account.hpp"

namespace stele::email_providers {

namespace {

/// Failures that may pass are tried again, each with the bounded time of an attempt.
constexpr int kAttempts = 5;

sdk::Result<sdk::Document> readable(sdk::Context& context, sdk::Result<sdk::Document> found,
                                    const char* code, const std::string& problem) {
    auto document = sdk::if_readable(context, std::move(found));
    if (!document) return document.error();
    if (*document) return **std::move(document);
    return sdk::make_error(sdk::ErrorKind::not_found, code, problem);
}

sdk::Result<sdk::Document> readable_application(sdk::Context& context, const std::string& id) {
    return readable(context, context.documents().read({"application", ""}, id),
                    "email_providers.application_unknown",
                    "there is no application " + id + ", or none that you may read");
}

sdk::CollectionName collection_in(const sdk::Document& application, const char* type) {
    return {type, application.id, application.key};
}

/// What an email may say that is composed with the server's eyes: nothing that is read for it
/// (nodes, principals, attachments).
constexpr const char* kOwnWords[] = {"from",    "to",      "cc",   "bcc",
                                     "replyTo", "subject", "body", "html"};

sdk::Json email_fields(const sdk::NewMail& mail) {
    sdk::Json fields = sdk::Json::object();
    for (const char* member : kOwnWords) {
        const auto said = mail.email.find(member);
        if (said != mail.email.end()) fields[member] = *said;
    }
    if (!mail.addressee.key.empty()) {
        fields["toDomainId"] = mail.addressee.domain_id;
        fields["toPrincipalId"] = mail.addressee.id;
    }
    return fields;
}

/// The same of the values.
sdk::Json model_of(const sdk::NewMail& mail) {
    sdk::Json model = sdk::Json::object();
    for (const auto& [name, value] : mail.model.items()) {
        if (value.is_string()) model[name] = value;
    }
    return model;
}

/// What a job needs to send a stored email.
struct MailTask {
    sdk::CollectionName emails;
    std::string email_id;
    MailAccount account;
    MailMessage message;
};

sdk::Result<MailTask> read_task(sdk::Context& context, MailComposer& composer,
                                const sdk::Json& input) {
    const std::string application = sdk::text_member(input, "applicationId");
    MailTask task{{kEmailType, application}, sdk::text_member(input, "emailId"), {}, {}};
    auto provider = context.documents().read({kProviderType, application},
                                             sdk::text_member(input, "emailProviderId"));
    if (!provider) return provider.error();
    auto email = context.documents().read(task.emails, task.email_id);
    if (!email) return email.error();
    task.account = account_of(*provider);
    // As it was posted: the sender may have changed the record since, and reads less than the
    // server, which sends it.
    email->fields = input.value("email", sdk::Json::object());
    auto mail =
        composer.compose(context, *email, input.value("model", sdk::Json::object()), task.account);
    if (!mail) return mail.error();
    task.message = std::move(mail->message);
    return task;
}

}  // namespace

MailJobs::MailJobs(const Services& services) : services_(services) {
    services_.jobs.define({.name = kJobType,
                           .run = [this](sdk::Job& job) { return send(job); },
                           .attempts = kAttempts,
                           .is_of_starter = false});
}

sdk::Result<std::optional<std::string>> MailJobs::provider_of(sdk::Context& context,
                                                              std::string_view application_id) {
    const std::optional<std::string> none;
    auto application = readable_application(context, std::string(application_id));
    if (!application && sdk::is_missing(application.error())) return none;
    if (!application) return application.error();
    auto may = sdk::holds(context, application->key, sdk::Permission::create_subobjects);
    if (!may) return may.error();
    if (!*may) return none;
    sdk::PageRequest everything;
    everything.limit = -1;
    auto providers = context.documents().query(collection_in(*application, kProviderType),
                                               sdk::Json::object(), everything);
    if (!providers) return providers.error();
    for (const sdk::Document& provider : providers->rows) {
        auto usable = sdk::holds(context, provider.key, sdk::Permission::read);
        if (!usable) return usable.error();
        if (*usable) return std::optional<std::string>(provider.id);
    }
    return none;
}

sdk::Result<sdk::PostedMail> MailJobs::post(sdk::Context& context, const sdk::NewMail& mail) {
    auto application = readable_application(context, mail.application_id);
    if (!application) return application.error();
    auto may = sdk::holds(context, application->key, sdk::Permission::create_subobjects);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(
            sdk::ErrorKind::forbidden, "authority.permission_missing",
            "CREATE_SUBOBJECTS on application " + application->id + " is needed to send its mails");
    }
    auto provider = readable(
        context,
        context.documents().read(collection_in(*application, kProviderType), mail.provider_id),
        "email_providers.provider_unknown",
        "the application has no email provider " + mail.provider_id +
            ", or none that you may read");
    if (!provider) return provider.error();
    const MailAccount account = account_of(*provider);
    auto ready = check_ready(account, services_.is_capturing);
    if (account.is_enabled && !ready) return ready.error();
    auto email =
        context.documents().create(collection_in(*application, kEmailType), email_fields(mail));
    if (!email) return email.error();
    // Whatever is wrong with the mail is said now. The addressed user may be new, and is the one
    // whom the caller has just named; nothing else is looked up.
    const sdk::Json model = model_of(mail);
    auto composed = services_.composer.compose(context.as_system(), *email, model, account);
    if (!composed) return composed.error();
    auto job = services_.jobs.start(context, {.type = kJobType,
                                              .input = {{"applicationId", application->id},
                                                        {"emailProviderId", provider->id},
                                                        {"emailId", email->id},
                                                        {"email", email->fields},
                                                        {"model", model}}});
    if (!job) return job.error();
    return sdk::PostedMail{email->id, *job};
}

sdk::Result<sdk::Json> MailJobs::send(sdk::Job& job) {
    sdk::Result<MailTask> task = MailTask{};
    auto read = services_.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            task = read_task(context, services_.composer, job.input());
            return task ? sdk::Result<void>() : task.error();
        });
    if (!read) return read.error();
    const SendOrder order{
        job.platform(), task->emails, task->email_id, task->message.id, job.run_as().qualified_id(),
        false};
    auto delivery = services_.outbox.send(order, [&]() -> sdk::Result<Delivery> {
        // A disabled account takes the email as sent (docs/specification/platform.md 9).
        if (!task->account.is_enabled) return Delivery{};
        return services_.transport.deliver(task->account, task->message);
    });
    const sdk::Json result = {{"emailId", task->email_id}, {"messageId", task->message.id}};
    if (delivery) return result;
    // The attempt before has sent it and ended before the job knew.
    const bool is_done = job.attempt() > 1 && delivery.error().code == kSentAlready;
    return is_done ? sdk::Result<sdk::Json>(result) : delivery.error();
}

}  // namespace stele::email_providers
