#include "smtp_conversation.hpp"

#include <catch2/catch.hpp>

#include "mail_transport.hpp"
#include "smtp_failure.hpp"

namespace stele::email_providers {
namespace {

/// Lines of a conversation, `C: ` those of the client.
SmtpConversation conversation(std::initializer_list<const char*> lines) {
    SmtpConversation talk("ann", "swordfish");
    for (const std::string_view line : lines) {
        const std::string text = std::string(line.substr(3)) + "\r\n";
        line.front() == 'C' ? talk.sent(text) : talk.received(text);
    }
    return talk;
}

sdk::Error error_of(const SmtpConversation& talk, CURLcode code = CURLE_SEND_ERROR) {
    MailAccount account;
    account.host = "mail.example.org";
    account.port = 25;
    MailMessage message;
    message.sender = "from@example.org";
    message.recipients = {"a@example.org", "b@example.org"};
    return smtp_error({code, "", false}, talk, account, message);
}

TEST_CASE("a refusal is told by the step at which it came, with the server's words") {
    struct Case {
        SmtpConversation talk;
        const char* code;
        sdk::ErrorKind kind;
        const char* text;
    };
    using sdk::ErrorKind;
    const Case cases[] = {
        {conversation({"S: 554 no service"}), "email_providers.server_refused", ErrorKind::conflict,
         "554 no service"},
        {conversation({"S: 220 hi", "C: EHLO me", "S: 421 busy"}), "email_providers.server_refused",
         ErrorKind::unavailable, "421 busy"},
        {conversation({"S: 220 hi", "C: EHLO me", "S: 250-x", "S: 250 AUTH PLAIN", "C: AUTH PLAIN",
                       "S: 334 ", "C: DATA", "S: 535 5.7.8 wrong"}),
         "email_providers.authentication_failed", ErrorKind::conflict, "535 5.7.8 wrong"},
        {conversation({"S: 220 hi", "C: MAIL FROM:<a>", "S: 550 not you"}),
         "email_providers.sender_refused", ErrorKind::conflict, "from@example.org: 550 not you"},
        {conversation({"S: 220 hi", "C: MAIL FROM:<a>", "S: 250 ok", "C: RCPT TO:<a>", "S: 250 ok",
                       "C: RCPT TO:<b>", "S: 550-no", "S: 550 such user", "C: QUIT", "S: 221 bye"}),
         "email_providers.recipient_refused", ErrorKind::conflict,
         "b@example.org: 550 no such user"},
        {conversation({"S: 220 hi", "C: RCPT TO:<a>", "S: 450 later"}),
         "email_providers.recipient_refused", ErrorKind::unavailable, "a@example.org: 450 later"},
        {conversation({"S: 220 hi", "C: DATA", "S: 354 go", "S: 552 too big"}),
         "email_providers.message_refused", ErrorKind::conflict, "552 too big"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.code, one.text);
        const sdk::Error error = error_of(one.talk);
        CHECK(error.code == one.code);
        CHECK(error.kind == one.kind);
        CHECK(error.message.find(one.text) != std::string::npos);
        CHECK(error.message.find("mail.example.org:25") != std::string::npos);
    }
}

TEST_CASE("without a refusal the way in which the connection ended tells what is wrong") {
    struct Case {
        CURLcode curl;
        const char* code;
        sdk::ErrorKind kind;
    };
    using sdk::ErrorKind;
    const Case cases[] = {
        {CURLE_COULDNT_RESOLVE_HOST, "email_providers.server_unreachable", ErrorKind::unavailable},
        {CURLE_OPERATION_TIMEDOUT, "email_providers.server_timed_out", ErrorKind::timed_out},
        {CURLE_USE_SSL_FAILED, "email_providers.starttls_missing", ErrorKind::conflict},
        {CURLE_PEER_FAILED_VERIFICATION, "email_providers.tls_failed", ErrorKind::conflict},
        {CURLE_LOGIN_DENIED, "email_providers.authentication_failed", ErrorKind::conflict},
        {CURLE_ABORTED_BY_CALLBACK, "email_providers.authentication_failed", ErrorKind::conflict},
        {CURLE_WEIRD_SERVER_REPLY, "email_providers.server_refused", ErrorKind::conflict},
        {CURLE_RECV_ERROR, "email_providers.connection_lost", ErrorKind::unavailable},
    };
    const SmtpConversation talk = conversation({"S: 220 hi", "C: EHLO me"});
    for (const Case& one : cases) {
        CAPTURE(one.curl);
        const sdk::Error error = error_of(talk, one.curl);
        CHECK(error.code == one.code);
        CHECK(error.kind == one.kind);
    }
}

TEST_CASE("closed, silent and open ports without a mail server cannot be told apart") {
    const SmtpConversation nothing = conversation({});
    const sdk::Error closed = error_of(nothing, CURLE_COULDNT_CONNECT);
    CHECK(closed.code == "email_providers.server_unreachable");
    CHECK(closed.kind == sdk::ErrorKind::unavailable);
    for (const CURLcode code : {CURLE_OPERATION_TIMEDOUT, CURLE_WEIRD_SERVER_REPLY,
                                CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SSL_CONNECT_ERROR}) {
        CAPTURE(code);
        CHECK(is_unanswered({code, "", false}, nothing));
        const sdk::Error other = error_of(nothing, code);
        CHECK(other.code == closed.code);
        CHECK(other.kind == closed.kind);
        CHECK(other.message == closed.message);
    }
    // What greets as a mail server is one.
    const SmtpConversation greeted = conversation({"S: 220 hi"});
    CHECK_FALSE(is_unanswered({CURLE_OPERATION_TIMEDOUT, "", false}, greeted));
}

TEST_CASE("a mail whose receipt was never confirmed has an unknown outcome") {
    SmtpConversation talk = conversation({"S: 220 hi", "C: DATA", "S: 354 go"});
    CHECK_FALSE(talk.is_uncertain());
    talk.content_sent();
    CHECK(talk.is_uncertain());
    CHECK(error_of(talk, CURLE_RECV_ERROR).code == kOutcomeUnknown);
    CHECK(error_of(talk, CURLE_OPERATION_TIMEDOUT).kind == sdk::ErrorKind::timed_out);
    talk.received("451 try later\r\n");
    CHECK_FALSE(talk.is_uncertain());
    CHECK(error_of(talk).code == "email_providers.message_refused");
}

TEST_CASE("credentials that a server repeats are taken out") {
    // "\0ann\0swordfish" and "swordfish" in base64
    const SmtpConversation talk =
        conversation({"S: 220 hi", "C: AUTH PLAIN", "S: 535-bad swordfish",
                      "S: 535-AGFubgBzd29yZGZpc2g=", "S: 535 c3dvcmRmaXNo end"});
    CHECK(talk.last_reply().text == "535 bad *** *** *** end");
}

TEST_CASE("replies are cleaned, bounded, and only taken from what speaks SMTP") {
    SmtpConversation talk("", "");
    talk.received("SSH-2.0-OpenSSH\r\n");
    talk.received("+OK POP3 ready\r\n");
    talk.received("-ERR unknown command\r\n");
    CHECK(talk.last_reply().code == 0);
    for (int i = 0; i < 1000; ++i)
        talk.received("220-" + std::string(400, 'x') + "\r\n");
    talk.received("220 \xff\x1b[31m\r\n");
    CHECK(talk.last_reply().code == 220);
    CHECK(talk.last_reply().text.size() < 2000);
    SmtpConversation other("", "");
    other.received("220 \xff\x1b[31m\r\n");
    CHECK(other.last_reply().text == "220 \xef\xbf\xbd [31m");
}

}  // namespace
}  // namespace stele::email_providers
