#include <stele/sdk/plugin.hpp>

#include "family/email.hpp"
#include "family/email_provider.hpp"
#include "services.hpp"

namespace stele::email_providers {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = open_services(registrar);
    if (!services) return services.error();
    const MailServices& mail = **services;
    registrar.add(std::make_unique<EmailProvider>(*mail.composer, *mail.outbox, *mail.transport,
                                                  mail.is_capturing));
    registrar.add(std::make_unique<Email>());
    return {};
}

}  // namespace stele::email_providers

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "email_providers", .version = "1.0.0", .requirements = "identity,platform"},
    &stele::email_providers::open);
