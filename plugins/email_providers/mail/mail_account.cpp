#include "mail_account.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <arpa/inet.h>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "mail_address.hpp"

namespace stele::email_providers {

namespace {

constexpr char kPassword[] = "password";
constexpr char kConfig[] = "config";
constexpr std::string_view kMask = "********";
constexpr std::size_t kHostLength = 253;

/// The member, of the record itself or of its `config`; null when there is none.
const sdk::Json* find_member(const sdk::Json& fields, const char* name) {
    const auto own = fields.find(name);
    if (own != fields.end() && !own->is_null()) return &*own;
    const auto config = fields.find(kConfig);
    if (config == fields.end() || !config->is_object()) return nullptr;
    const auto nested = config->find(name);
    return nested != config->end() && !nested->is_null() ? &*nested : nullptr;
}

/// `config.port` when the member lies there.
std::string path_of(const sdk::Json& fields, const char* name) {
    const auto own = fields.find(name);
    const bool is_own = own != fields.end() && !own->is_null();
    return is_own ? std::string(name) : std::string(kConfig) + "." + name;
}

std::string text_of(const sdk::Json& fields, const char* name) {
    const sdk::Json* value = find_member(fields, name);
    return value && value->is_string() ? value->get<std::string>() : std::string();
}

bool flag_of(const sdk::Json& fields, const char* name, bool fallback) {
    const sdk::Json* value = find_member(fields, name);
    return value && value->is_boolean() ? value->get<bool>() : fallback;
}

/// Nothing when the value is no port; 0 when it is empty.
std::optional<std::uint16_t> port_of(const sdk::Json& value) {
    std::uint16_t port = 0;
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text.empty()) return port;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
        const bool is_number = problem == std::errc() && end == text.data() + text.size();
        return is_number && port > 0 ? std::optional(port) : std::nullopt;
    }
    if (!value.is_number_integer()) return std::nullopt;
    const auto number = value.get<std::int64_t>();
    if (number < 1 || number > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(number);
}

std::uint16_t default_port(ConnectionSecurity security) {
    switch (security) {
        case ConnectionSecurity::starttls:
            return 587;
        case ConnectionSecurity::tls:
            return 465;
        case ConnectionSecurity::none:
            break;
    }
    return 25;
}

/// Clients set both flags for one server; TLS at once is then meant where its port is named.
ConnectionSecurity security_of(const sdk::Json& fields, std::uint16_t port) {
    const bool is_secure = flag_of(fields, "smtp_is_secure", false);
    const bool has_starttls = flag_of(fields, "smtp_starttls_enabled", false);
    if (is_secure && (!has_starttls || port == 465)) return ConnectionSecurity::tls;
    return has_starttls ? ConnectionSecurity::starttls : ConnectionSecurity::none;
}

bool is_ip_address(const std::string& text) {
    unsigned char bytes[16];
    return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool is_host_label(std::string_view label) {
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') {
        return false;
    }
    return std::all_of(label.begin(), label.end(), [](char c) {
        return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' ||
               c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
}

std::string without_brackets(std::string_view host) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    return std::string(host);
}

/// A password that stays must not go to another server than the one for which it was given, nor in
/// the clear where it was not: whoever may update the provider need not know it. One that is sent
/// again unchanged cannot be told from one that stays.
void forget_elsewhere(sdk::Document& provider, const sdk::Document& before) {
    const std::string old = sdk::text_member(before.secrets, kPassword);
    if (old.empty() || old != sdk::text_member(provider.secrets, kPassword)) return;
    const MailAccount was = account_of(before);
    const MailAccount is = account_of(provider);
    const bool is_in_clear_now =
        is.security == ConnectionSecurity::none && was.security != ConnectionSecurity::none;
    const bool is_elsewhere =
        sdk::lower_case(is.host) != sdk::lower_case(was.host) || is.port != was.port;
    if (is_elsewhere || is_in_clear_now) provider.secrets.erase(kPassword);
}

void check_text(const sdk::Document& provider, const char* name, sdk::Violations& violations) {
    const std::string path = path_of(provider.fields, name);
    if (has_control_character(text_of(provider.fields, name))) {
        violations.push_back({path, "field.value_unknown",
                              path + " must not hold line breaks or other control characters"});
    }
}

void check_nested_kinds(const sdk::Json& fields, sdk::Violations& violations) {
    const auto config = fields.find(kConfig);
    if (config == fields.end() || !config->is_object()) return;
    const auto check = [&](const char* name, bool is_text) {
        const auto value = config->find(name);
        if (value == config->end() || value->is_null()) return;
        if (is_text ? value->is_string() : value->is_boolean()) return;
        const std::string path = std::string(kConfig) + "." + name;
        violations.push_back({path, "field.kind_wrong",
                              path + (is_text ? " must be a string" : " must be true or false")});
    };
    for (const char* name : {"host", "username", kPassword})
        check(name, true);
    for (const char* name :
         {"smtp_enabled", "smtp_requires_auth", "smtp_is_secure", "smtp_starttls_enabled"})
        check(name, false);
}

}  // namespace

std::string_view security_name(ConnectionSecurity security) {
    switch (security) {
        case ConnectionSecurity::none:
            return "none";
        case ConnectionSecurity::starttls:
            return "starttls";
        case ConnectionSecurity::tls:
            return "tls";
    }
    return "none";
}

std::string MailAccount::server() const {
    const bool is_ip6 = host.find(':') != std::string::npos;
    return (is_ip6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

MailAccount account_of(const sdk::Document& provider) {
    const sdk::Json& fields = provider.fields;
    MailAccount account;
    account.provider_id = provider.id;
    account.host = without_brackets(text_of(fields, "host"));
    const sdk::Json* port = find_member(fields, "port");
    if (port) account.port = port_of(*port).value_or(0);
    account.security = security_of(fields, account.port);
    if (account.port == 0) account.port = default_port(account.security);
    account.is_enabled = flag_of(fields, "smtp_enabled", true);
    account.username = text_of(fields, "username");
    account.password = sdk::text_member(provider.secrets, kPassword);
    account.requires_auth = flag_of(fields, "smtp_requires_auth", !account.username.empty());
    return account;
}

void read_nested_port(sdk::Document& provider) {
    const auto config = provider.fields.find(kConfig);
    if (config == provider.fields.end() || !config->is_object()) return;
    const auto port = config->find("port");
    if (port == config->end() || !port->is_string()) return;
    if (const auto number = port_of(*port)) *port = *number;
}

void keep_password_apart(sdk::Document& provider, const sdk::Document* before) {
    const auto config = provider.fields.find(kConfig);
    if (config != provider.fields.end() && config->is_object() && config->contains(kPassword)) {
        const sdk::Json nested = (*config)[kPassword];
        // Something else than a text stays for `check_account` to complain about.
        if (nested.is_string() || nested.is_null()) {
            config->erase(kPassword);
            provider.secrets[kPassword] = nested;
        }
    }
    const auto password = provider.secrets.find(kPassword);
    if (password == provider.secrets.end()) return;
    if (password->is_string() && password->get_ref<const std::string&>() == kMask) {
        const bool had_one = before && before->secrets.contains(kPassword);
        *password = had_one ? before->secrets.at(kPassword) : sdk::Json();
    }
    if (password->is_null()) provider.secrets.erase(kPassword);
    if (before) forget_elsewhere(provider, *before);
}

void check_account(const sdk::Document& provider, sdk::Violations& violations) {
    const sdk::Json& fields = provider.fields;
    check_nested_kinds(fields, violations);
    const std::string host = text_of(fields, "host");
    if (!host.empty() && !is_mail_host(host)) {
        const std::string path = path_of(fields, "host");
        violations.push_back({path, "email_providers.host_malformed",
                              path + " must be a host name or an IP address, without a port"});
    }
    const sdk::Json* port = find_member(fields, "port");
    if (port && !port_of(*port)) {
        const std::string path = path_of(fields, "port");
        violations.push_back(
            {path, "field.value_unknown", path + " must be a number from 1 to 65535"});
    }
    check_text(provider, "username", violations);
    if (has_control_character(sdk::text_member(provider.secrets, kPassword))) {
        violations.push_back({kPassword, "field.value_unknown",
                              "password must not hold line breaks or other control characters"});
    }
}

bool is_mail_host(std::string_view text) {
    if (text.empty() || text.size() > kHostLength) return false;
    if (is_ip_address(without_brackets(text))) return true;
    if (text.back() == '.') text.remove_suffix(1);
    while (true) {
        const std::size_t dot = text.find('.');
        if (!is_host_label(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

sdk::Result<void> check_ready(const MailAccount& account, bool is_capturing) {
    const bool has_username = !account.requires_auth || !account.username.empty();
    const bool has_password = !account.requires_auth || !account.password.empty();
    if (is_capturing || (!account.host.empty() && has_username && has_password)) return {};
    const char* missing = account.host.empty() ? "host" : has_username ? "password" : "username";
    return sdk::make_error(
        sdk::ErrorKind::conflict, "email_providers.account_incomplete",
        std::string("the provider has no ") + missing + ", without which it cannot send");
}

}  // namespace stele::email_providers
