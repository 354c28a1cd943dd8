// Arbitrary text on its way to a mail server: addresses, a subject and a body with placeholders,
// one line each, then what a server says. What is accepted makes a mail with the headers that it
// should have and no other; what a server says becomes a bounded line of UTF-8.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <glib.h>

#include <nlohmann/json.hpp>

#include "plugins/email_providers/mail/mail_address.hpp"
#include "plugins/email_providers/mail/mail_message.hpp"
#include "plugins/email_providers/mail/smtp_conversation.hpp"
#include "plugins/email_providers/outbox/placeholders.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele;
using namespace stele::email_providers;
using stele::testing::fuzz_check;

constexpr std::size_t kMaxLineLength = 998;

bool is_utf8(const std::string& text) {
    return g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) != FALSE;
}

std::string_view next_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

void check_header(std::string_view line) {
    static constexpr std::array<std::string_view, 7> kNames{
        "From", "To", "Subject", "Date", "Message-Id", "MIME-Version", "Content-"};
    const bool is_folded = line.front() == ' ' || line.front() == '\t';
    fuzz_check(is_folded || std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
                   return line.substr(0, name.size()) == name;
               }));
}

void check_mail(std::string_view mail) {
    bool is_header = true;
    while (!mail.empty()) {
        const std::size_t end = mail.find("\r\n");
        const std::string_view line = mail.substr(0, end);
        fuzz_check(line.size() <= kMaxLineLength);
        for (const char c : line)
            fuzz_check((c >= 0x20 && c < 0x7f) || c == '\t');
        if (line.empty()) is_header = false;
        if (is_header) check_header(line);
        mail.remove_prefix(end == std::string_view::npos ? mail.size() : end + 2);
    }
    fuzz_check(!is_header);
}

void follow_server(std::string_view text) {
    SmtpConversation conversation("ann", "password");
    conversation.sent("EHLO me\r\n");
    while (!text.empty())
        conversation.received(next_line(text));
    const std::string& reply = conversation.last_reply().text;
    fuzz_check(reply.size() < 4000 && is_utf8(reply));
    fuzz_check(!has_control_character(reply));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool is_ready = [] {
        init_message_writer();
        return true;
    }();
    fuzz_check(is_ready);
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const auto mailboxes = parse_mailboxes(next_line(rest));
    const sdk::Json model = {{"a", std::string(next_line(rest))}, {"b", {{"c", 1}}}};
    const auto subject =
        fill_in(next_line(rest), model, PlaceholderText::header_line, "subject", 1 << 20);
    const auto body = fill_in(next_line(rest), model, PlaceholderText::html, "html", 1 << 20);
    follow_server(rest);
    if (!mailboxes || mailboxes->empty() || !subject || !body) return 0;
    if (has_control_character(*subject) || !is_utf8(*subject) || !is_utf8(*body)) return 0;
    if (body->find('\0') != std::string::npos) return 0;
    MailContent content;
    content.from = mailboxes->front();
    content.to = *mailboxes;
    for (const Mailbox& mailbox : *mailboxes) {
        fuzz_check(wire_address(mailbox.address) == mailbox.address &&
                   !has_control_character(mailbox.name));
        if (!is_utf8(mailbox.name) || !is_utf8(mailbox.address)) return 0;
    }
    content.subject = *subject;
    content.html = *body;
    content.attachments.push_back({*subject, *body, std::string(rest)});
    check_mail(write_message(content, "id@example.org", 1'700'000'000'000));
    return 0;
}
