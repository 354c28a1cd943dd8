#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/mailer.hpp>

#include "mail/mail_transport.hpp"
#include "outbox/mail_composer.hpp"
#include "outbox/outbox.hpp"

namespace stele::email_providers {

/// Sends mails that nobody waits for: stored with whatever they belong to, sent by a job.
class MailJobs final : public sdk::Mailer {
public:
    /// The type of the job that sends one.
    static constexpr char kJobType[] = "send-email";

    /// What a mail is sent with; must outlive it.
    struct Services {
        sdk::Registrar& registrar;
        sdk::Jobs& jobs;
        MailComposer& composer;
        Outbox& outbox;
        MailTransport& transport;
        bool is_capturing = false;
    };
    /// Defines the job.
    explicit MailJobs(const Services& services);

    sdk::Result<std::optional<std::string>> provider_of(sdk::Context& context,
                                                        std::string_view application_id) override;
    sdk::Result<sdk::PostedMail> post(sdk::Context& context, const sdk::NewMail& mail) override;

private:
    sdk::Result<sdk::Json> send(sdk::Job& job);

    Services services_;
};

}  // namespace stele::email_providers
