#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "kernel/http/connection/server_options.hpp"
#include "kernel/http/message/message.hpp"

namespace stele::kernel::job {
class WorkerPool;
}

namespace stele::kernel::http {

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
