#include "kernel/client/login.hpp"

#include <cstdlib>
#include <fstream>
#include <optional>

namespace stele::kernel::client {

namespace {

constexpr char kPassword[] = "STELE_PASSWORD";
constexpr char kKey[] = "STELE_CLIENT_KEY";
constexpr char kSecret[] = "STELE_CLIENT_SECRET";
constexpr char kPassphrase[] = "STELE_PASSPHRASE";

/// The value of a variable, which nobody who is started from here gets.
std::optional<std::string> take_variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    std::string text = value;
    ::unsetenv(name);
    return text;
}

sdk::Result<std::string> first_line(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string line;
    if (!stream || (!std::getline(stream, line) && !stream.eof())) {
        return sdk::make_error(sdk::ErrorKind::not_found, "command.file_unreadable",
                               file + " cannot be read");
    }
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

/// The variable is taken away also where a file wins over it.
sdk::Result<std::string> read_secret(const std::string& file, const char* variable,
                                     const std::string& prompt, const AskSecret& ask) {
    auto value = take_variable(variable);
    if (!file.empty()) return first_line(file);
    if (value) return *std::move(value);
    return ask(prompt);
}

}  // namespace

sdk::Result<Login> read_login(const LoginSources& sources, const AskSecret& ask) {
    Login login{.user = sources.user, .client_key = sources.key};
    const auto key = take_variable(kKey);
    if (login.client_key.empty()) login.client_key = key.value_or("");
    if (login.user.empty() || login.client_key.empty()) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "client.login_incomplete",
            login.user.empty() ? std::string("say who you are: --user NAME")
                               : "say by which client: --client-key KEY, or " + std::string(kKey));
    }
    auto password =
        read_secret(sources.password_file, kPassword, "Password of " + login.user + ": ", ask);
    if (!password) return password.error();
    auto secret = read_secret(sources.secret_file, kSecret,
                              "Secret of the client " + login.client_key + ": ", ask);
    if (!secret) return secret.error();
    login.password = *std::move(password);
    login.client_secret = *std::move(secret);
    return login;
}

sdk::Result<std::string> read_passphrase(const std::string& file) {
    auto value = take_variable(kPassphrase);
    if (!file.empty()) return first_line(file);
    return value.value_or("");
}

}  // namespace stele::kernel::client
