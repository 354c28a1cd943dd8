#pragma once

#include <filesystem>
#include <string>

#include "mail_transport.hpp"

namespace stele::email_providers {

/// For development: writes each mail into a file of a folder, `<time>-<message id>.eml`, and sends
/// nothing. Two header lines of the file tell sender and recipients of the envelope.
class CaptureTransport final : public MailTransport {
public:
    explicit CaptureTransport(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Makes the folder where it is missing; `unavailable` (`email_providers.capture_failed`) when
    /// it cannot be written.
    sdk::Result<void> prepare() const;

    sdk::Result<Delivery> deliver(const MailAccount& account, const MailMessage& message) override;

private:
    std::filesystem::path folder_;
};

}  // namespace stele::email_providers
