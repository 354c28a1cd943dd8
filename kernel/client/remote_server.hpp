#pragma once

#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/client/http_client.hpp"
#include "kernel/client/login.hpp"

namespace stele::kernel::client {

/// Whether the same may succeed a little later: the connection failed, or the server is busy.
bool may_pass(const sdk::Error& error);

/// What a server says, without control characters: it goes to a terminal.
std::string printable(std::string text);

/// A path of a query: `path`, and each parameter that has a value, percent-encoded.
using Query = std::vector<std::pair<std::string, std::string>>;
std::string target_of(const std::string& path, const Query& query);

/// Operations of a server, as a user that is logged in. What a server refuses is an error with
/// the code and the message that it answered; `http.route_unknown` of an operation that it does not
/// have. A token that has ended is replaced by a new login. One thread.
class RemoteServer {
public:
    RemoteServer(HttpClient client, Login login)
        : client_(std::move(client)), login_(std::move(login)) {}

    sdk::Result<void> log_in();

    /// The JSON of a success.
    sdk::Result<sdk::Json> read(const std::string& target);
    sdk::Result<sdk::Json> post(const std::string& target, const sdk::Json& body);
    sdk::Result<void> remove(const std::string& target);
    /// Repeats `read` while it may pass, for about half a minute.
    sdk::Result<sdk::Json> read_patiently(const std::string& target);
    /// The same for a `post` that changes nothing.
    sdk::Result<sdk::Json> query_patiently(const std::string& target, const sdk::Json& query);

    sdk::Result<sdk::Json> upload(const std::string& target, const std::string& content_type,
                                  FileBytes file, std::function<void(std::uint64_t)> on_sent);
    sdk::Result<void> download(const std::string& target,
                               std::vector<std::pair<std::string, std::string>> headers,
                               const ReplyTaker& taker);

    /// Waits before the next of several tries, longer each time; false when there were enough of
    /// them, or when it must stop.
    bool pause_before_try(int failures) const;
    /// False when it must stop.
    bool pause(std::chrono::milliseconds time) const;

    /// For what is put in order at last: from now on nothing makes it stop, and the server may be
    /// silent for some seconds only.
    void hurry();

    const ServerAddress& address() const { return client_.options().server; }

private:
    using TryOnce = std::function<sdk::Result<sdk::Json>()>;
    sdk::Result<sdk::Json> repeat(const TryOnce& try_once) const;
    sdk::Result<ClientReply> ask(ClientRequest request, const ReplyTaker& taker = {});

    HttpClient client_;
    Login login_;
    std::string token_;
};

}  // namespace stele::kernel::client
