#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/registrar.hpp>

#include "smtp_transport.hpp"

namespace stele::email_providers {

/// What an operator set (docs/reference/email.md).
struct MailSettings {
    SmtpOptions smtp;
    std::string capture_folder;
    std::size_t concurrent_sends = 0;
    std::size_t recipients = 0;
    std::uint64_t message_bytes = 0;
};

/// Declares and reads the settings; `invalid` (`email_providers.setting_malformed`) stops start-up.
sdk::Result<MailSettings> read_settings(sdk::Registrar& registrar);

}  // namespace stele::email_providers
