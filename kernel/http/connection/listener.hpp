#pragma once

#include <memory>

#include "kernel/http/connection/connection_context.hpp"

namespace boost::asio::ssl {
class context;
}

namespace stele::kernel::http {

/// One I/O thread's share of the server: an I/O context, the socket that it accepts from, its
/// connections and the sweep over their deadlines.
class Listener : public ConnectionContext {
public:
    using ConnectionContext::ConnectionContext;

    /// Serves on the calling thread until `stop`.
    virtual void run() = 0;
    /// Accepts nothing more and closes what is idle. Any thread.
    virtual void drain() = 0;
    /// Connections that come later are secured with `tls`. Any thread.
    virtual void renew_tls(std::shared_ptr<boost::asio::ssl::context> tls) = 0;
    /// Closes all connections and lets `run` return. Any thread.
    virtual void stop() = 0;
    /// Drops what was posted after `run` returned. Later posts are dropped at once.
    virtual void seal() = 0;
};

/// Takes over the listening socket `descriptor`. `tls` is null for plain TCP.
std::shared_ptr<Listener> make_listener(std::shared_ptr<ServerShared> shared, int descriptor,
                                        bool is_ipv6,
                                        std::shared_ptr<boost::asio::ssl::context> tls);

}  // namespace stele::kernel::http
