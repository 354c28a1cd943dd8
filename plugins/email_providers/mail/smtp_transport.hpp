#pragma once

#include <chrono>
#include <string>

#include "host_rules.hpp"
#include "mail_transport.hpp"

namespace stele::email_providers {

struct SmtpOptions {
    std::chrono::milliseconds connect_time{10'000};
    /// For everything, the connection included.
    std::chrono::milliseconds total_time{20'000};
    /// PEM file with certificates that are trusted besides the system's; empty: none.
    std::string ca_file;
    /// What EHLO says; empty: the machine's name.
    std::string client_name;
    HostRules host_rules;
};

/// SMTP through libcurl: plain, STARTTLS, TLS; certificates are always verified. A connection for
/// each mail. Only after `curl_global_init`.
class SmtpTransport final : public MailTransport {
public:
    explicit SmtpTransport(SmtpOptions options) : options_(std::move(options)) {}

    sdk::Result<Delivery> deliver(const MailAccount& account, const MailMessage& message) override;

private:
    SmtpOptions options_;
};

}  // namespace stele::email_providers
