#include "kernel/http/connection/listener.hpp"

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Asio.
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include <stele/sdk/log.hpp>

#include "kernel/http/connection/connection_transport.hpp"
#include "kernel/http/connection/tls_connection.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

namespace asio = boost::asio;

template <>
struct TransportTraits<TcpSocket> {
    static constexpr bool kNeedsFarewell = false;
    static constexpr bool kSendsFiles = true;

    template <class Handler>
    static void open(TcpSocket&, Handler handler) {
        handler(true);
    }

    template <class Buffers>
    static std::optional<std::size_t> write_now(TcpSocket& socket, const Buffers& buffers,
                                                bool more_follows) {
        boost::system::error_code code;
        const bool is_single = buffers[1].size() == 0 && buffers[2].size() == 0;
        const int flags = more_follows ? MSG_MORE : 0;
        const std::size_t count = is_single ? socket.send(asio::buffer(buffers[0]), flags, code)
                                            : socket.send(buffers, flags, code);
        if (code == asio::error::would_block) return 0;
        if (code) return std::nullopt;
        return count;
    }

    template <class Handler>
    static bool end_sending(TcpSocket& socket, Handler) {
        boost::system::error_code ignored;  // the peer may be gone already
        socket.shutdown(asio::socket_base::shutdown_send, ignored);
        return true;
    }
};

namespace {

using Executor = asio::io_context::executor_type;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// Connections beyond the limit that are still told so; those beyond these are just closed.
constexpr std::size_t kRefusedAtOnce = 64;

/// Deadlines need no exact timers: looking four times within the shortest of them is enough.
std::chrono::milliseconds sweep_interval(const ServerLimits& limits) {
    using std::chrono::milliseconds;
    const milliseconds shortest =
        std::min({limits.header_time, limits.body_time, limits.idle_time, limits.write_time});
    return std::clamp(shortest / 4, milliseconds(5), milliseconds(1000));
}

class AsioListener final : public Listener, public std::enable_shared_from_this<AsioListener> {
public:
    AsioListener(std::shared_ptr<ServerShared> shared_state, int descriptor, bool is_ipv6,
                 std::shared_ptr<asio::ssl::context> tls)
        : Listener(std::move(shared_state)),
          acceptor_(io_, is_ipv6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor),
          timer_(io_),
          tls_(std::move(tls)),
          interval_(sweep_interval(shared.options.limits)) {}

    void post(std::function<void()> task) override {
        const std::lock_guard lock(mutex_);
        if (!is_sealed_) asio::post(io_, std::move(task));
    }

    void remove(Connection& connection) override {
        shared.addresses.remove(connection.peer_address());
        // The handlers that still hold it let go when they return.
        connections_.erase(std::static_pointer_cast<Connection>(connection.shared_from_this()));
        shared.connection_closed();
    }

    void run() override {
        enter_thread();
        accept();
        wait();
        while (!is_stopping_) {
            try {
                io_.run();
            } catch (const std::exception& problem) {
                sdk::log(sdk::LogLevel::error, "http",
                         std::string("an I/O handler failed: ") + problem.what());
            }
        }
        while (!connections_.empty())
            (*connections_.begin())->abort();
        // Handlers of the operations just cancelled.
        io_.restart();
        io_.poll();
    }

    void drain() override {
        post([this] {
            boost::system::error_code ignored;
            acceptor_.close(ignored);
            for (const auto& connection : all())
                connection->drain();
        });
    }

    void renew_tls(std::shared_ptr<asio::ssl::context> tls) override {
        // Connections that are open keep what they began with.
        post([this, tls = std::move(tls)]() mutable { tls_ = std::move(tls); });
    }

    void stop() override {
        post([this] {
            is_stopping_ = true;
            boost::system::error_code ignored;
            acceptor_.close(ignored);
            timer_.cancel();
            io_.stop();
        });
    }

    void seal() override {
        {
            const std::lock_guard lock(mutex_);
            is_sealed_ = true;
        }
        io_.restart();
        io_.poll();
    }

private:
    /// A copy, because connections remove themselves.
    std::vector<std::shared_ptr<Connection>> all() const {
        return {connections_.begin(), connections_.end()};
    }

    void accept() {
        is_accepting_ = true;
        acceptor_.async_accept([this](const boost::system::error_code& code, TcpSocket socket) {
            is_accepting_ = false;
            if (!acceptor_.is_open()) return;
            if (!code) {
                admit(std::move(socket));
            } else if (code != asio::error::connection_aborted) {
                // Out of descriptors, most likely: the sweep tries again.
                sdk::log(sdk::LogLevel::warning, "http", "cannot accept: " + code.message());
                return;
            }
            accept();
        });
    }

    void admit(TcpSocket&& socket) {
        const std::size_t others = shared.open.load(std::memory_order_relaxed);
        const std::size_t limit = shared.options.limits.connections;
        boost::system::error_code code;
        const auto peer = socket.remote_endpoint(code);
        if (code || others >= limit + kRefusedAtOnce) {
            traffic.refused.add(1);
            return;
        }
        socket.set_option(asio::ip::tcp::no_delay(true), code);
        if (!code) socket.non_blocking(true, code);
        if (code) return;
        const std::string address = peer.address().to_string();
        const std::size_t limit_of_one = limit_of(address);
        const std::size_t of_one = shared.addresses.add(address);
        if (of_one >= limit_of_one && of_one - limit_of_one >= kRefusedAtOnce) {
            shared.addresses.remove(address);
            traffic.refused.add(1);
            return;
        }
        shared.open.fetch_add(1, std::memory_order_relaxed);
        traffic.connections.add(1);
        auto connection = connect(std::move(socket), address);
        connections_.insert(connection);
        connection->start(others >= limit || of_one >= limit_of_one);
    }

    std::size_t limit_of(const std::string& address) const {
        const auto& proxies = shared.options.trusted_proxies;
        const bool is_proxy = std::find(proxies.begin(), proxies.end(), address) != proxies.end();
        return is_proxy ? std::numeric_limits<std::size_t>::max()
                        : shared.options.limits.connections_per_address;
    }

    std::shared_ptr<Connection> connect(TcpSocket&& socket, std::string remote_address) {
        auto context = shared_from_this();
        if (tls_) {
            return make_tls_connection(std::move(context), std::move(remote_address),
                                       std::move(socket), *tls_);
        }
        return std::make_shared<StreamConnection<TcpSocket>>(
            std::move(context), std::move(remote_address), std::move(socket));
    }

    void wait() {
        timer_.expires_after(interval_);
        timer_.async_wait([this](const boost::system::error_code& code) {
            if (code) return;
            wait();
            sweep();
        });
    }

    void sweep() {
        renew_date();
        const std::int64_t time = now();
        for (const auto& connection : all())
            connection->sweep(time);
        if (!is_accepting_ && acceptor_.is_open()) accept();
    }

    asio::io_context io_{1};
    Acceptor acceptor_;
    Timer timer_;
    std::shared_ptr<asio::ssl::context> tls_;
    std::chrono::milliseconds interval_;
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    bool is_accepting_ = false;
    bool is_stopping_ = false;

    /// Orders late answers of other threads against the end of the server.
    std::mutex mutex_;
    bool is_sealed_ = false;
};

}  // namespace

std::shared_ptr<Listener> make_listener(std::shared_ptr<ServerShared> shared, int descriptor,
                                        bool is_ipv6, std::shared_ptr<asio::ssl::context> tls) {
    return std::make_shared<AsioListener>(std::move(shared), descriptor, is_ipv6, std::move(tls));
}

}  // namespace stele::kernel::http
