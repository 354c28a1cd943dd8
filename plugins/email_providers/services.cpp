#include "services.hpp"

#include <curl/curl.h>

#include <stele/sdk/log.hpp>

#include "mail/capture_transport.hpp"
#include "mail/settings.hpp"
#include "mail/smtp_transport.hpp"

namespace stele::email_providers {

namespace {

sdk::Result<std::unique_ptr<MailTransport>> make_transport(const MailSettings& settings) {
    if (settings.capture_folder.empty()) {
        // Once, before any thread sends.
        if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
            return sdk::make_error(sdk::ErrorKind::internal, "email_providers.library_unusable",
                                   "libcurl cannot be initialized");
        }
        return std::unique_ptr<MailTransport>(std::make_unique<SmtpTransport>(settings.smtp));
    }
    auto capturing = std::make_unique<CaptureTransport>(settings.capture_folder);
    if (auto prepared = capturing->prepare(); !prepared) return prepared.error();
    sdk::log(sdk::LogLevel::warning, "email_providers",
             "mails are not sent but captured in " + settings.capture_folder);
    return std::unique_ptr<MailTransport>(std::move(capturing));
}

}  // namespace

sdk::Result<const MailServices*> open_services(sdk::Registrar& registrar) {
    auto settings = read_settings(registrar);
    if (!settings) return settings.error();
    auto needed =
        registrar
            .require<sdk::PrincipalDirectory, sdk::Jobs, sdk::Families, sdk::InnerOperations>();
    if (!needed) return needed.error();
    auto& [principals, jobs, families, operations] = *needed;
    auto transport = make_transport(*settings);
    if (!transport) return transport.error();
    init_message_writer();

    auto* const services = &registrar.own(std::make_unique<MailServices>());
    services->transport = std::move(*transport);
    services->is_capturing = !settings->capture_folder.empty();
    services->records = std::make_unique<RecordAttachments>(families, operations);
    services->composer = std::make_unique<MailComposer>(
        principals, *services->records,
        // Asked for at each mail: whoever keeps attachments may be opened after this plugin.
        [&registrar] { return registrar.find<sdk::AttachmentReader>(); },
        ComposerLimits{settings->recipients, settings->message_bytes});
    services->outbox =
        std::make_unique<Outbox>(registrar, settings->concurrent_sends, settings->smtp.total_time);
    services->mail_jobs = std::make_unique<MailJobs>(
        MailJobs::Services{registrar, jobs, *services->composer, *services->outbox,
                           *services->transport, services->is_capturing});
    registrar.publish<sdk::Mailer>(*services->mail_jobs);
    return services;
}

}  // namespace stele::email_providers
