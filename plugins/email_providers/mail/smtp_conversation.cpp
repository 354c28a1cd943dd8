#include "smtp_conversation.hpp"

#include <algorithm>
#include <utility>

#include <glib.h>

namespace stele::email_providers {

namespace {

constexpr std::size_t kReplyLength = 500;
constexpr int kContinue = 334;
constexpr int kSendContent = 354;
constexpr int kAuthenticated = 235;
/// Shorter ones would take innocent letters out of every reply, and guard nothing.
constexpr std::size_t kSecretLength = 4;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool has_code(std::string_view line) {
    return line.size() >= 3 && line[0] >= '2' && line[0] <= '5' && is_digit(line[1]) &&
           is_digit(line[2]) && (line.size() == 3 || line[3] == ' ' || line[3] == '-');
}

std::string base64(const std::string& text) {
    gchar* encoded = g_base64_encode(reinterpret_cast<const guchar*>(text.data()), text.size());
    std::string copy(encoded);
    g_free(encoded);
    return copy;
}

void take_out(std::string& text, const std::string& secret) {
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
        text.replace(at, secret.size(), "***");
}

}  // namespace

std::string shown(std::string_view text, std::size_t length) {
    gchar* valid =
        g_utf8_make_valid(text.data(), static_cast<gssize>(std::min(text.size(), length)));
    std::string clean(valid);
    g_free(valid);
    std::replace_if(
        clean.begin(), clean.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return clean;
}

SmtpConversation::SmtpConversation(const std::string& username, const std::string& password) {
    if (password.size() < kSecretLength) return;
    const std::string nul(1, '\0');
    secrets_ = {password, base64(nul + username + nul + password), base64(password)};
}

void SmtpConversation::sent(std::string_view line) {
    // Answers to a challenge are credentials, whatever they look like.
    if (stage_ == SmtpStage::authentication && last_.code == kContinue) return;
    static constexpr std::pair<std::string_view, SmtpStage> kCommands[] = {
        {"EHLO", SmtpStage::greeting}, {"HELO", SmtpStage::greeting},
        {"STARTTLS", SmtpStage::tls},  {"AUTH", SmtpStage::authentication},
        {"MAIL", SmtpStage::sender},   {"RCPT", SmtpStage::recipient},
        {"DATA", SmtpStage::content},
    };
    const std::string_view word = line.substr(0, line.find_first_of(" \r\n"));
    for (const auto& [command, stage] : kCommands) {
        if (word == command) stage_ = stage;
    }
    // Said after every failure: what it is answered explains nothing.
    if (word == "QUIT") is_over_ = true;
}

void SmtpConversation::received(std::string_view line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
        line.remove_suffix(1);
    // What is no SMTP may be any service of the operator's network: none of it is passed on.
    if (!has_code(line)) return;
    std::string text(line);
    for (const std::string& secret : secrets_)
        take_out(text, secret);
    text = shown(text, kReplyLength);
    pending_.code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
    if (pending_.text.empty()) {
        pending_.text = text;
        if (pending_.text.size() > 3) pending_.text[3] = ' ';
    } else if (text.size() > 4 && pending_.text.size() < kReplyLength) {
        pending_.text += " " + text.substr(4);
    }
    const bool is_last = line.size() == 3 || line[3] == ' ';
    if (is_last) complete(std::exchange(pending_, {}));
}

void SmtpConversation::complete(SmtpReply reply) {
    if (stage_ == SmtpStage::connection) stage_ = SmtpStage::greeting;
    if (is_over_) return;
    if (stage_ == SmtpStage::recipient) recipients_.push_back(reply);
    if (stage_ == SmtpStage::authentication && reply.code == kAuthenticated) {
        is_authenticated_ = true;
    }
    if (stage_ == SmtpStage::content && reply.code != kSendContent) is_content_answered_ = true;
    last_ = std::move(reply);
}

}  // namespace stele::email_providers
