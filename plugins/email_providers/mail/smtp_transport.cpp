#include "smtp_transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "smtp_conversation.hpp"
#include "smtp_failure.hpp"

namespace stele::email_providers {

namespace {

/// What the callbacks of one attempt share.
struct Attempt {
    const HostRules& host_rules;
    const MailMessage& message;
    SmtpConversation conversation;
    bool requires_auth;
    bool is_blocked = false;
    std::size_t offset = 0;
};

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    auto& attempt = *static_cast<Attempt*>(user);
    if (!attempt.host_rules.allows(address->addr)) {
        attempt.is_blocked = true;
        return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t read_content(char* buffer, std::size_t size, std::size_t count, void* user) {
    auto& attempt = *static_cast<Attempt*>(user);
    // libcurl goes on without when the server does not ask for credentials.
    if (attempt.requires_auth && !attempt.conversation.is_authenticated()) {
        return CURL_READFUNC_ABORT;
    }
    const std::string& bytes = attempt.message.bytes;
    const std::size_t length = std::min(size * count, bytes.size() - attempt.offset);
    std::memcpy(buffer, bytes.data() + attempt.offset, length);
    attempt.offset += length;
    if (attempt.offset == bytes.size()) attempt.conversation.content_sent();
    return length;
}

int follow(CURL*, curl_infotype type, char* data, std::size_t size, void* user) {
    auto& conversation = static_cast<Attempt*>(user)->conversation;
    if (type == CURLINFO_HEADER_OUT) conversation.sent({data, size});
    if (type == CURLINFO_HEADER_IN) conversation.received({data, size});
    return 0;
}

std::size_t drop(char*, std::size_t size, std::size_t count, void*) {
    return size * count;
}

std::string url_of(const MailAccount& account, const std::string& client_name) {
    const bool is_tls = account.security == ConnectionSecurity::tls;
    std::string url = (is_tls ? "smtps://" : "smtp://") + account.server();
    return client_name.empty() ? url : url + "/" + client_name;
}

void set_connection(CURL* curl, const MailAccount& account, const SmtpOptions& options,
                    Attempt& attempt) {
    curl_easy_setopt(curl, CURLOPT_URL, url_of(account, options.client_name).c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    // Neither the environment's proxies nor ~/.netrc decide where mail and passwords go.
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    // A name server that is silent must not add its own time-out to ours.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options.connect_time.count()));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_time.count()));
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &attempt);
    curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, &follow);
    curl_easy_setopt(curl, CURLOPT_DEBUGDATA, &attempt);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &drop);

    const bool has_tls = account.security != ConnectionSecurity::none;
    curl_easy_setopt(curl, CURLOPT_USE_SSL, long{has_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE});
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    // The system's folder of certificates stays in force beside the file.
    if (!options.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, options.ca_file.c_str());
    if (!account.requires_auth) return;
    curl_easy_setopt(curl, CURLOPT_USERNAME, account.username.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, account.password.c_str());
    // Without this list libcurl prefers Kerberos, for which there is no ticket here.
    curl_easy_setopt(curl, CURLOPT_LOGIN_OPTIONS,
                     "AUTH=SCRAM-SHA-256;AUTH=SCRAM-SHA-1;AUTH=CRAM-MD5;AUTH=PLAIN;AUTH=LOGIN");
}

using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

List recipients_of(const MailMessage& message) {
    List list(nullptr, &curl_slist_free_all);
    for (const std::string& recipient : message.recipients) {
        curl_slist* longer = curl_slist_append(list.get(), recipient.c_str());
        if (!longer) throw std::bad_alloc();
        (void)list.release();
        list.reset(longer);
    }
    return list;
}

void set_mail(CURL* curl, const MailMessage& message, curl_slist* recipients, Attempt& attempt) {
    curl_easy_setopt(curl, CURLOPT_MAIL_FROM, message.sender.c_str());
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT_ALLLOWFAILS, message.tolerates_refusals ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &read_content);
    curl_easy_setopt(curl, CURLOPT_READDATA, &attempt);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(message.bytes.size()));
}

Delivery delivered(const SmtpConversation& conversation, const MailMessage& message) {
    Delivery delivery;
    delivery.reply = conversation.last_reply().text;
    const auto& replies = conversation.recipient_replies();
    for (std::size_t i = 0; i < replies.size() && i < message.recipients.size(); ++i) {
        if (replies[i].is_refusal()) {
            delivery.refused.push_back({message.recipients[i], replies[i].text});
        }
    }
    return delivery;
}

}  // namespace

sdk::Result<Delivery> SmtpTransport::deliver(const MailAccount& account,
                                             const MailMessage& message) {
    if (!options_.host_rules.allows(account.host, account.port)) {
        return sdk::make_error(
            sdk::ErrorKind::conflict, "email_providers.host_forbidden",
            "the operator of this server does not allow the mail server " + account.server());
    }
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                   &curl_easy_cleanup);
    if (!curl) throw std::bad_alloc();
    Attempt attempt{options_.host_rules, message,
                    SmtpConversation(account.username, account.password), account.requires_auth};
    const List recipients = recipients_of(message);
    char text[CURL_ERROR_SIZE] = {};
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, text);
    set_connection(curl.get(), account, options_, attempt);
    set_mail(curl.get(), message, recipients.get(), attempt);
    const auto started = std::chrono::steady_clock::now();
    const CURLcode code = curl_easy_perform(curl.get());
    if (code == CURLE_OK) return delivered(attempt.conversation, message);
    const SmtpFailure failure{code, text, attempt.is_blocked};
    // A closed port answers at once, a silent one never: neither may show in the time.
    if (is_unanswered(failure, attempt.conversation)) {
        std::this_thread::sleep_until(started + options_.connect_time);
    }
    return smtp_error(failure, attempt.conversation, account, message);
}

}  // namespace stele::email_providers
