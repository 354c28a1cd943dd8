#pragma once

#include <memory>

#include <stele/sdk/registrar.hpp>

#include "delivery/mail_jobs.hpp"
#include "mail/mail_transport.hpp"
#include "outbox/mail_composer.hpp"
#include "outbox/outbox.hpp"

namespace stele::email_providers {

/// What the families share.
struct MailServices {
    std::unique_ptr<RecordAttachments> records;
    std::unique_ptr<MailComposer> composer;
    std::unique_ptr<MailTransport> transport;
    std::unique_ptr<Outbox> outbox;
    std::unique_ptr<MailJobs> mail_jobs;
    bool is_capturing = false;
};

/// Made from the settings and the services of other plugins; lives until the process ends.
sdk::Result<const MailServices*> open_services(sdk::Registrar& registrar);

}  // namespace stele::email_providers
