#include "settings.hpp"

#include <filesystem>

#include "mail_account.hpp"

namespace stele::email_providers {

namespace {

/// A year; in milliseconds no overflow.
constexpr std::int64_t kMaxSeconds = 366 * 86'400;

/// Reads settings one after another and keeps the first failure.
class Reading {
public:
    explicit Reading(sdk::Registrar& registrar) : registrar_(registrar) {}

    std::string text(sdk::Setting setting) { return registrar_.setting(std::move(setting)); }

    std::int64_t number(sdk::Setting setting) { return registrar_.number(std::move(setting), 1); }
    std::int64_t bytes(sdk::Setting setting) { return registrar_.bytes(std::move(setting), 1); }
    std::chrono::milliseconds seconds(sdk::Setting setting) {
        return std::chrono::seconds(registrar_.number(std::move(setting), 1, kMaxSeconds));
    }

    void fail(const std::string& name, const std::string& problem) {
        if (failure_) {
            failure_ = sdk::make_error(sdk::ErrorKind::invalid, "email_providers.setting_malformed",
                                       "setting email_providers." + name + " " + problem);
        }
    }
    const sdk::Result<void>& failure() const { return failure_; }

private:
    sdk::Registrar& registrar_;
    sdk::Result<void> failure_;
};

void read_smtp(Reading& reading, SmtpOptions& options) {
    options.connect_time = reading.seconds(
        {"connect_seconds", "10", "Time to reach a mail server, its name looked up included"});
    options.total_time =
        reading.seconds({"send_seconds", "20",
                         "Time for a whole mail, the connection included; less than "
                         "server.drain_time, or a stopping server leaves mails behind"});
    options.ca_file =
        reading.text({"ca_file", "",
                      "PEM file with certificates of mail servers that are trusted besides the "
                      "system's"});
    std::error_code ignored;
    if (!options.ca_file.empty() && !std::filesystem::is_regular_file(options.ca_file, ignored)) {
        reading.fail("ca_file", "names no file: " + options.ca_file);
    }
    options.client_name = reading.text(
        {"client_name", "", "Name by which the server greets mail servers; empty: the machine's"});
    if (!options.client_name.empty() && !is_mail_host(options.client_name)) {
        reading.fail("client_name", "must be a host name, not '" + options.client_name + "'");
    }
}

}  // namespace

sdk::Result<MailSettings> read_settings(sdk::Registrar& registrar) {
    Reading reading(registrar);
    MailSettings settings;
    read_smtp(reading, settings.smtp);
    const std::string allowed =
        reading.text({"allowed_hosts", "",
                      "Mail servers that providers may use, separated by commas: host, "
                      "*.host, host:port; empty allows all"});
    const std::string blocked =
        reading.text({"blocked_networks", "private",
                      "Networks in which no mail server may lie, separated by commas: "
                      "10.0.0.0/8, fd00::/8; private for all that are not public, empty for none"});
    settings.capture_folder =
        reading.text({"capture_folder", "",
                      "For development: mails become files in this folder and are not "
                      "sent; empty sends"});
    settings.concurrent_sends =
        static_cast<std::size_t>(reading.number({"concurrent_sends", "8",
                                                 "Mails on their way at the same time, fewer than "
                                                 "workers.threads; beyond: 429"}));
    settings.recipients = static_cast<std::size_t>(reading.number(
        {"recipients", "1000", "Recipients of one mail, members of groups counted"}));
    settings.message_bytes = static_cast<std::uint64_t>(
        reading.bytes({"message_bytes", "26214400", "Largest mail in bytes, encoded"}));
    if (!reading.failure()) return reading.failure().error();
    auto rules = HostRules::parse(allowed, blocked);
    if (!rules) return rules.error();
    settings.smtp.host_rules = std::move(*rules);
    return settings;
}

}  // namespace stele::email_providers
