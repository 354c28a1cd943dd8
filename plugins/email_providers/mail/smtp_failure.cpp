#include "smtp_failure.hpp"

#include "mail_transport.hpp"

namespace stele::email_providers {

namespace {

using sdk::ErrorKind;
using sdk::make_error;

constexpr std::size_t kTextLength = 300;

std::string replied(const SmtpReply& reply) {
    return reply.code ? "; its last reply: " + reply.text : std::string();
}

/// The server said no.
sdk::Error refused(const SmtpConversation& conversation, const std::string& server,
                   const MailMessage& message) {
    const SmtpReply& reply = conversation.last_reply();
    const ErrorKind kind = reply.is_permanent() ? ErrorKind::conflict : ErrorKind::unavailable;
    switch (conversation.stage()) {
        case SmtpStage::authentication:
            return make_error(
                kind, "email_providers.authentication_failed",
                "the mail server " + server + " refused user name or password: " + reply.text);
        case SmtpStage::sender:
            return make_error(kind, "email_providers.sender_refused",
                              "the mail server " + server + " refused the sender " +
                                  message.sender + ": " + reply.text);
        case SmtpStage::recipient: {
            const std::size_t index = conversation.recipient_replies().size() - 1;
            const std::string recipient =
                index < message.recipients.size() ? message.recipients[index] : std::string();
            return make_error(kind, "email_providers.recipient_refused",
                              "the mail server " + server + " refused the recipient " + recipient +
                                  ": " + reply.text);
        }
        case SmtpStage::content:
            return make_error(kind, "email_providers.message_refused",
                              "the mail server " + server + " refused the mail: " + reply.text);
        default:
            return make_error(kind, "email_providers.server_refused",
                              "the mail server " + server + " refused to talk: " + reply.text);
    }
}

bool is_tls_failure(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_INVALIDCERTSTATUS:
            return true;
        default:
            return false;
    }
}

/// Which step a server kept waiting.
const char* waited_for(SmtpStage stage) {
    switch (stage) {
        case SmtpStage::authentication:
            return "to answer the authentication";
        case SmtpStage::recipient:
            return "to answer a recipient";
        case SmtpStage::content:
            return "to take the mail";
        default:
            return "to answer";
    }
}

/// The server said nothing that would explain it.
sdk::Error broken(const SmtpFailure& failure, const SmtpConversation& conversation,
                  const std::string& server) {
    const std::string last = replied(conversation.last_reply());
    switch (failure.code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return make_error(ErrorKind::unavailable, "email_providers.server_unreachable",
                              "the mail server " + server + " is unknown: its name has no address");
        case CURLE_USE_SSL_FAILED:
            return make_error(ErrorKind::conflict, "email_providers.starttls_missing",
                              "the mail server " + server +
                                  " does not offer STARTTLS, which the provider requires" + last);
        case CURLE_LOGIN_DENIED:
        case CURLE_ABORTED_BY_CALLBACK:
            return make_error(ErrorKind::conflict, "email_providers.authentication_failed",
                              "the mail server " + server +
                                  " offers no way to authenticate that Stele knows" + last);
        case CURLE_WEIRD_SERVER_REPLY:
            return make_error(ErrorKind::conflict, "email_providers.server_refused",
                              "what answers at " + server + " does not speak SMTP" + last);
        default:
            break;
    }
    if (is_tls_failure(failure.code)) {
        return make_error(ErrorKind::conflict, "email_providers.tls_failed",
                          "no trusted TLS connection to the mail server " + server + ": " +
                              shown(failure.text, kTextLength));
    }
    return make_error(ErrorKind::unavailable, "email_providers.connection_lost",
                      "the connection to the mail server " + server + " broke" + last,
                      failure.text);
}

}  // namespace

bool is_unanswered(const SmtpFailure& failure, const SmtpConversation& conversation) {
    if (conversation.stage() != SmtpStage::connection || conversation.last_reply().code) {
        return false;
    }
    // Where there is a certificate to be refused, there is a server.
    return !failure.is_blocked && failure.code != CURLE_COULDNT_RESOLVE_HOST &&
           (!is_tls_failure(failure.code) || failure.code == CURLE_SSL_CONNECT_ERROR);
}

sdk::Error smtp_error(const SmtpFailure& failure, const SmtpConversation& conversation,
                      const MailAccount& account, const MailMessage& message) {
    const std::string server = account.server();
    if (failure.is_blocked) {
        return make_error(ErrorKind::conflict, "email_providers.host_forbidden",
                          "the operator of this server does not allow mail servers in the network "
                          "of " +
                              account.host);
    }
    if (is_unanswered(failure, conversation)) {
        return make_error(ErrorKind::unavailable, "email_providers.server_unreachable",
                          "no mail server has answered at " + server,
                          failure.text.empty() ? curl_easy_strerror(failure.code) : failure.text);
    }
    const bool is_late = failure.code == CURLE_OPERATION_TIMEDOUT;
    if (conversation.is_uncertain()) {
        return make_error(is_late ? ErrorKind::timed_out : ErrorKind::unavailable, kOutcomeUnknown,
                          "the mail server " + server +
                              " got the whole mail and did not say whether it takes it");
    }
    if (conversation.last_reply().is_refusal()) return refused(conversation, server, message);
    if (is_late) {
        return make_error(ErrorKind::timed_out, "email_providers.server_timed_out",
                          "the mail server " + server + " took too long " +
                              waited_for(conversation.stage()) +
                              replied(conversation.last_reply()));
    }
    return broken(failure, conversation, server);
}

}  // namespace stele::email_providers
