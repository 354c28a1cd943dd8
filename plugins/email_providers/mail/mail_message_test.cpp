#include "mail_message.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace stele::email_providers {
namespace {

constexpr std::int64_t kDate = 1'700'000'000'000;

MailContent plain_content() {
    MailContent content;
    content.from = {"", "from@example.org"};
    content.to = {{"", "to@example.org"}};
    content.subject = "Hello";
    content.text = "Hi there";
    return content;
}

std::string written(const MailContent& content) {
    init_message_writer();
    return write_message(content, "id@example.org", kDate);
}

bool has_line(const std::string& mail, const std::string& line) {
    return mail.compare(0, line.size(), line) == 0 ||
           mail.find("\r\n" + line + "\r\n") != std::string::npos;
}

/// Every line ends with CRLF, is short, and all is printable ASCII.
void check_lines(const std::string& mail) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < mail.size(); ++i) {
        const char c = mail[i];
        if (c == '\n') {
            REQUIRE(i > 0);
            REQUIRE(mail[i - 1] == '\r');
            REQUIRE(length <= 998 + 1);
            length = 0;
            continue;
        }
        if (c == '\r') REQUIRE((i + 1 < mail.size() && mail[i + 1] == '\n'));
        REQUIRE((c == '\r' || c == '\t' || (c >= 0x20 && c < 0x7f)));
        ++length;
    }
}

TEST_CASE("a plain mail has the headers that it needs") {
    const std::string mail = written(plain_content());
    check_lines(mail);
    CHECK(has_line(mail, "From: from@example.org"));
    CHECK(has_line(mail, "To: to@example.org"));
    CHECK(has_line(mail, "Subject: Hello"));
    CHECK(has_line(mail, "Message-Id: <id@example.org>"));
    CHECK(has_line(mail, "Date: Tue, 14 Nov 2023 22:13:20 +0000"));
    CHECK(has_line(mail, "MIME-Version: 1.0"));
    CHECK(has_line(mail, "Content-Type: text/plain; charset=utf-8"));
    CHECK(mail.find("\r\n\r\nHi there") != std::string::npos);
}

TEST_CASE("names and subjects beyond ASCII become encoded words") {
    MailContent content = plain_content();
    content.from.name = "Jürgen";
    content.subject = "Grüße";
    const std::string mail = written(content);
    check_lines(mail);
    // RFC 2047 by hand: UTF-8, quoted-printable or base64.
    CHECK(has_line(mail, "From: =?UTF-8?b?SsO8cmdlbg==?= <from@example.org>"));
    CHECK(has_line(mail, "Subject: =?UTF-8?B?R3LDvMOfZQ==?="));
}

TEST_CASE("long and strange texts stay within the limits of a line") {
    MailContent content = plain_content();
    content.subject = std::string(5000, 's');
    for (int i = 0; i < 1000; ++i)
        content.subject += " wörter";
    content.to.clear();
    for (int i = 0; i < 200; ++i)
        content.to.push_back(
            {"Name " + std::to_string(i), "to" + std::to_string(i) + "@x.example"});
    content.text = std::string(20'000, 'x') + "\r\n.\r\n..\rFrom here\n" + std::string(2000, ' ');
    content.html = "<p>" + std::string(20'000, 'y') + "</p>";
    check_lines(written(content));
}

TEST_CASE("text and HTML make alternatives, attachments go around them") {
    MailContent content = plain_content();
    content.html = "<p>Hi there</p>";
    CHECK(written(content).find("Content-Type: multipart/alternative") != std::string::npos);
    content.attachments.push_back({"Übersicht.pdf", "application/pdf", std::string("\0\1\2", 3)});
    content.attachments.push_back({"x\r\nBcc: y@z", "text/plain\r\nX: y", "b"});
    content.attachments.push_back({"y", "\xe6\x97\xa5/plain", "c"});
    content.attachments.push_back({"mail.eml", "message/rfc822", "Subject: x\r\n\r\nö"});
    const std::string mail = written(content);
    check_lines(mail);
    CHECK(mail.find("filename*=UTF-8''%C3%9Cbersicht.pdf") != std::string::npos);
    CHECK(mail.find("Content-Type: multipart/mixed") != std::string::npos);
    CHECK(mail.find("Content-Type: application/pdf") != std::string::npos);
    CHECK(mail.find("message/rfc822") == std::string::npos);
    CHECK(mail.find("\r\nBcc:") == std::string::npos);
    CHECK(mail.find("\r\nX:") == std::string::npos);
}

TEST_CASE("mails are written by several threads at once") {
    MailContent content = plain_content();
    content.from.name = "Jürgen";
    content.subject = "Grüße";
    const std::string wanted = written(content);
    std::vector<std::thread> threads;
    std::atomic<int> different = 0;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round)
                different += write_message(content, "id@example.org", kDate) != wanted;
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(different == 0);
}

TEST_CASE("members of a group are not shown to one another") {
    MailContent content = plain_content();
    content.to.clear();
    content.to_group = "Editors";
    CHECK(has_line(written(content), "To: Editors: ;"));
}

}  // namespace
}  // namespace stele::email_providers
