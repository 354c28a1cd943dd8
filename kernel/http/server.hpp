#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "kernel/http/message.hpp"

namespace stele::kernel::job {
class WorkerPool;
}

namespace stele::kernel::resource {
class UsageCounter;
}

namespace stele::kernel::http {

class AccessLog;

struct ServerLimits {
    std::size_t header_bytes = 64 * 1024;
    std::size_t body_bytes = 16 * 1024 * 1024;
    std::uint64_t upload_bytes = std::uint64_t{16} * 1024 * 1024 * 1024;  ///< streamed bodies
    std::chrono::milliseconds header_time{15'000};  ///< from the first byte of a request
    std::chrono::milliseconds body_time{120'000};   ///< for the whole body, or 64 KiB of an upload
    /// Bytes a second that uploads arrive with at least, when seen over a body's time; 0: any.
    std::uint64_t upload_rate = 0;
    std::chrono::milliseconds idle_time{75'000};    ///< between requests
    std::chrono::milliseconds write_time{120'000};  ///< without progress of the reader
    std::size_t connections = 4096;
    /// Of one address, or of one network of IPv6; trusted proxies are not counted.
    std::size_t connections_per_address = std::numeric_limits<std::size_t>::max();
    /// Memory for bodies beyond `kSmallBody`, of all connections together and of one client.
    std::size_t body_memory = 256 * 1024 * 1024;
    std::size_t body_memory_per_address = 128 * 1024 * 1024;
    std::chrono::milliseconds body_wait{20'000};  ///< until there is room for a body
};

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;         ///< 0: any free one
    int threads = 0;                   ///< 0: one per core
    std::string tls_certificate_file;  ///< PEM chain; empty: no TLS
    std::string tls_key_file;
    /// How long browsers are to use nothing but TLS; 0: they are not told.
    std::chrono::seconds hsts_time{0};
    /// `Access-Control-Allow-Origin` values; empty: no CORS headers.
    std::vector<std::string> cors_origins;
    /// Addresses of proxies whose `X-Forwarded-For` is believed.
    std::vector<std::string> trusted_proxies;
    /// Null: none. Must outlive the server.
    AccessLog* access_log = nullptr;
    /// Counts what is sent; null: nobody does. Must outlive the server.
    resource::UsageCounter* usage = nullptr;
    /// Where uploads wait for their end; made and emptied at start.
    std::filesystem::path upload_folder;
    /// Bytes of its disk that uploads leave to others.
    std::uint64_t upload_reserve = 0;
    ServerLimits limits;
};

/// Listens and serves connections: one I/O context per thread, sockets of their own by
/// SO_REUSEPORT, no timer per operation but one coarse sweep. Keep-alive,
/// pipelining, `Expect`, HEAD, gzip, limits with JSON errors. What a request means is the handler's
/// matter.
class Server {
public:
    /// `handler` and `workers` must outlive the server.
    Server(ServerOptions options, RequestHandler& handler, job::WorkerPool& workers);
    ~Server();

    /// Binds and begins to serve; fails with a sentence that names address and reason.
    sdk::Result<void> start();
    std::uint16_t port() const;
    /// Reads certificate and key again, for the connections that come from now on. Fails as
    /// `make_tls_context` and then leaves everything as it is; without TLS there is nothing to do.
    sdk::Result<void> renew_certificate();
    /// Stops to accept, lets running requests finish within `patience`, then closes.
    void drain(std::chrono::milliseconds patience);

    struct Counts {
        std::uint64_t connections_open = 0;
        std::uint64_t connections_total = 0;
        std::uint64_t requests_total = 0;
        std::uint64_t bytes_received = 0;
        std::uint64_t bytes_sent = 0;
        std::uint64_t refused_total = 0;
        std::uint64_t body_bytes = 0;      ///< memory that large bodies hold
        std::uint64_t bodies_waiting = 0;  ///< requests that wait for such memory
    };
    Counts counts() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stele::kernel::http
