#include "kernel/client/remote_server.hpp"

#include <algorithm>
#include <thread>

#include <sodium/utils.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

namespace stele::kernel::client {

namespace {

/// Tries of what may pass, and the longest pause between two of them.
constexpr int kTries = 9;
constexpr std::chrono::milliseconds kFirstPause{250};
constexpr std::chrono::milliseconds kLongestPause{5000};
constexpr std::chrono::milliseconds kStopPulse{50};
constexpr std::chrono::milliseconds kHurry{5000};

std::string base64_text(const std::string& bytes) {
    std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(text.data(), text.size(),
                      reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                      sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();
    return text;
}

sdk::ErrorKind kind_of(unsigned status) {
    switch (status) {
        case 401:
            return sdk::ErrorKind::unauthenticated;
        case 403:
            return sdk::ErrorKind::forbidden;
        case 404:
            return sdk::ErrorKind::not_found;
        case 409:
            return sdk::ErrorKind::conflict;
        case 413:
            return sdk::ErrorKind::too_large;
        case 429:
            return sdk::ErrorKind::limited;
        case 502:
        case 503:
        case 504:
            return sdk::ErrorKind::unavailable;
        case 507:
            return sdk::ErrorKind::storage_full;
        default:
            return status >= 500 ? sdk::ErrorKind::internal : sdk::ErrorKind::invalid;
    }
}

/// The error that a reply is. What stands between is of the server's own choice, so only JSON of
/// the form of its errors is shown.
sdk::Error refusal(const ClientReply& reply) {
    const unsigned status = reply.head.status;
    auto parsed = sdk::parse_json(reply.body);
    const sdk::Json told = parsed && parsed->is_object() ? *parsed : sdk::Json::object();
    std::string code = sdk::text_member(told, "code");
    std::string message = sdk::text_member(told, "message");
    if (message.empty()) message = sdk::text_member(told, "error_description");
    if (code.empty()) code = "client.reply_unexpected";
    if (message.empty()) message = "the server answered " + std::to_string(status);
    if (status >= 300 && status < 400)
        message =
            "the server answered with a redirect, which is not followed; name the other server";
    return sdk::make_error(kind_of(status), printable(code), printable(message));
}

/// What a success says.
sdk::Result<sdk::Json> json_of(const sdk::Result<ClientReply>& reply) {
    if (!reply) return reply.error();
    auto parsed = sdk::parse_json(reply->body, {.depth = 200});
    if (parsed && parsed->is_object()) return parsed;
    return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                           "the reply of the server is no JSON object; is it a Stele server?");
}

}  // namespace

std::string printable(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    return text;
}

bool may_pass(const sdk::Error& error) {
    if (error.code == "client.interrupted") return false;
    return error.kind == sdk::ErrorKind::unavailable || error.kind == sdk::ErrorKind::limited;
}

std::string target_of(const std::string& path, const Query& query) {
    std::string target = path;
    char separator = '?';
    for (const auto& [name, value] : query) {
        if (value.empty()) continue;
        target += separator + name + '=' + sdk::percent_encoded(value);
        separator = '&';
    }
    return target;
}

sdk::Result<void> RemoteServer::log_in() {
    ClientRequest request{.method = "POST", .target = "/oauth/token"};
    request.headers = {
        {"Content-Type", "application/x-www-form-urlencoded"},
        {"Authorization", "Basic " + base64_text(login_.client_key + ':' + login_.client_secret)}};
    request.body = "grant_type=password&scope=api&username=" + sdk::percent_encoded(login_.user) +
                   "&password=" + sdk::percent_encoded(login_.password);
    auto reply = client_.exchange(request);
    if (reply && !reply->head.is_success()) return refusal(*reply);
    auto told = json_of(reply);
    if (!told) return told.error();
    token_ = sdk::text_member(*told, "access_token");
    const bool is_token = !token_.empty() && std::all_of(token_.begin(), token_.end(), [](char c) {
        return c > ' ' && c < '\x7f';
    });
    if (is_token) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                           "the server answered the login without a token");
}

sdk::Result<ClientReply> RemoteServer::ask(ClientRequest request, const ReplyTaker& taker) {
    request.headers.emplace_back("Authorization", "Bearer " + token_);
    auto reply = client_.exchange(request, taker);
    if (reply && reply->head.status == 401) {
        if (auto again = log_in(); !again) return again.error();
        request.headers.back().second = "Bearer " + token_;
        reply = client_.exchange(request, taker);
    }
    if (reply && !reply->head.is_success()) return refusal(*reply);
    return reply;
}

sdk::Result<sdk::Json> RemoteServer::read(const std::string& target) {
    return json_of(ask({.target = target}));
}

sdk::Result<sdk::Json> RemoteServer::repeat(const TryOnce& try_once) const {
    for (int failures = 0;;) {
        auto reply = try_once();
        if (reply || !may_pass(reply.error()) || !pause_before_try(++failures)) return reply;
    }
}

sdk::Result<sdk::Json> RemoteServer::read_patiently(const std::string& target) {
    return repeat([&] { return read(target); });
}

sdk::Result<sdk::Json> RemoteServer::query_patiently(const std::string& target,
                                                     const sdk::Json& query) {
    return repeat([&] { return post(target, query); });
}

sdk::Result<sdk::Json> RemoteServer::post(const std::string& target, const sdk::Json& body) {
    return json_of(ask({.method = "POST",
                        .target = target,
                        .headers = {{"Content-Type", "application/json"}},
                        .body = sdk::dump_json(body)}));
}

sdk::Result<void> RemoteServer::remove(const std::string& target) {
    auto reply = ask({.method = "DELETE", .target = target});
    if (!reply) return reply.error();
    return {};
}

sdk::Result<sdk::Json> RemoteServer::upload(const std::string& target,
                                            const std::string& content_type, FileBytes file,
                                            std::function<void(std::uint64_t)> on_sent) {
    return json_of(ask({.method = "POST",
                        .target = target,
                        .headers = {{"Content-Type", content_type}},
                        .file = file,
                        .on_sent = std::move(on_sent)}));
}

sdk::Result<void> RemoteServer::download(const std::string& target,
                                         std::vector<std::pair<std::string, std::string>> headers,
                                         const ReplyTaker& taker) {
    auto reply = ask({.target = target, .headers = std::move(headers)}, taker);
    if (!reply) return reply.error();
    return {};
}

void RemoteServer::hurry() {
    ClientOptions options = client_.options();
    options.must_stop = [] { return false; };
    options.silence = kHurry;
    client_ = HttpClient(std::move(options));
}

bool RemoteServer::pause_before_try(int failures) const {
    if (failures >= kTries) return false;
    return pause(std::min(kFirstPause * (1 << std::min(failures - 1, 10)), kLongestPause));
}

bool RemoteServer::pause(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        if (client_.options().must_stop()) return false;
        std::this_thread::sleep_for(kStopPulse);
    }
    return true;
}

}  // namespace stele::kernel::client
