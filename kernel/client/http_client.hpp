#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/result.hpp>

#include "kernel/client/server_address.hpp"

namespace stele::kernel::client {

struct ClientOptions {
    ServerAddress server;
    /// Certificates (PEM) that a server may have been signed with; empty: those of the system.
    std::string ca_file = {};
    /// How long the server may say and take nothing.
    std::chrono::milliseconds silence = std::chrono::minutes(2);
    /// Asked several times a second; what is under way then ends with `client.interrupted`.
    std::function<bool()> must_stop = [] { return false; };
};

/// Bytes of an open file, from its beginning.
struct FileBytes {
    int descriptor = -1;
    std::uint64_t size = 0;
};

struct ClientRequest {
    std::string method = "GET";
    /// Behind the server's address; percent-encoded.
    std::string target = "/";
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    /// Sent in place of `body` where it is open; stays the caller's.
    FileBytes file = {};
    /// Told how many bytes of the file were sent so far.
    std::function<void(std::uint64_t)> on_sent = {};
};

struct ReplyHead {
    unsigned status = 0;
    /// Names in lower case.
    std::map<std::string, std::string, std::less<>> headers = {};

    bool is_success() const { return status >= 200 && status < 300; }
    /// Empty when there is none.
    std::string header(std::string_view name) const;
};

struct ClientReply {
    ReplyHead head;
    std::string body;
};

/// Receives the body of a success; of other replies it is part of the answer.
struct ReplyTaker {
    std::function<sdk::Result<void>(const ReplyHead&)> begin;
    std::function<sdk::Result<void>(std::string_view)> take;
};

/// Requests to one server by HTTP/1.1, each over a connection of its own. Redirects are not
/// followed. One thread.
class HttpClient {
public:
    explicit HttpClient(ClientOptions options) : options_(std::move(options)) {}

    /// What the server answers, whatever its status; at most 64 MiB. `unavailable` otherwise:
    /// `client.unreachable` when the request was never sent, `client.broken_off` when it may have
    /// been done, `client.interrupted`; `client.certificate_refused` is `invalid`.
    sdk::Result<ClientReply> exchange(const ClientRequest& request) const;
    /// The same; a success goes to `taker`, whose failure ends it.
    sdk::Result<ClientReply> exchange(const ClientRequest& request, const ReplyTaker& taker) const;

    const ClientOptions& options() const { return options_; }

private:
    ClientOptions options_;
};

}  // namespace stele::kernel::client
