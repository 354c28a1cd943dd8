#include "kernel/http/connection/server.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "kernel/http/connection/listener.hpp"
#include "kernel/http/connection/listener_address.hpp"
#include "kernel/http/connection/tls.hpp"
#include "kernel/http/message/upload_spool.hpp"

namespace stele::kernel::http {

struct Server::State {
    State(ServerOptions options, RequestHandler& handler, job::WorkerPool& workers)
        : shared(std::make_shared<ServerShared>(std::move(options), handler, workers)) {}

    /// Connections that a handler still holds keep it alive beyond the server.
    std::shared_ptr<ServerShared> shared;
    std::vector<std::shared_ptr<Listener>> listeners;
    std::vector<std::thread> threads;
    std::uint16_t port = 0;
};

namespace {

int thread_count(int wanted) {
    if (wanted > 0) return wanted;
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

Server::Server(ServerOptions options, RequestHandler& handler, job::WorkerPool& workers)
    : state_(std::make_unique<State>(std::move(options), handler, workers)) {}

Server::~Server() {
    drain(std::chrono::milliseconds(0));
}

sdk::Result<void> Server::start() {
    const ServerOptions& options = state_->shared->options;
    if (!options.upload_folder.empty()) {
        auto prepared = prepare_upload_folder(options.upload_folder);
        if (!prepared) return prepared;
    }
    std::shared_ptr<boost::asio::ssl::context> tls;
    if (!options.tls_certificate_file.empty()) {
        auto made = make_tls_context(options.tls_certificate_file, options.tls_key_file);
        if (!made) return made.error();
        tls = std::move(*made);
    }
    auto sockets = listen_on(options.host, options.port, thread_count(options.threads));
    if (!sockets) return sockets.error();
    state_->port = sockets->port;
    for (const int descriptor : sockets->descriptors) {
        state_->listeners.push_back(
            make_listener(state_->shared, descriptor, sockets->is_ipv6, tls));
    }
    for (const auto& listener : state_->listeners) {
        state_->threads.emplace_back([listener] { listener->run(); });
    }
    return {};
}

sdk::Result<void> Server::renew_certificate() {
    const ServerOptions& options = state_->shared->options;
    if (options.tls_certificate_file.empty()) return {};
    auto tls = make_tls_context(options.tls_certificate_file, options.tls_key_file);
    if (!tls) return tls.error();
    for (const auto& listener : state_->listeners)
        listener->renew_tls(*tls);
    return {};
}

std::uint16_t Server::port() const {
    return state_->port;
}

void Server::drain(std::chrono::milliseconds patience) {
    if (state_->threads.empty()) return;
    ServerShared& shared = *state_->shared;
    shared.is_draining = true;
    for (const auto& listener : state_->listeners)
        listener->drain();
    {
        std::unique_lock lock(shared.mutex);
        shared.all_closed.wait_for(lock, patience, [&] { return shared.open == 0; });
    }
    for (const auto& listener : state_->listeners)
        listener->stop();
    for (std::thread& thread : state_->threads)
        thread.join();
    state_->threads.clear();
    for (const auto& listener : state_->listeners)
        listener->seal();
}

Server::Counts Server::counts() const {
    Counts counts;
    counts.connections_open = state_->shared->open.load(std::memory_order_relaxed);
    counts.body_bytes = state_->shared->body_memory.held();
    counts.bodies_waiting = state_->shared->body_memory.waiting();
    for (const auto& listener : state_->listeners) {
        const Traffic& traffic = listener->traffic;
        counts.connections_total += traffic.connections.value();
        counts.requests_total += traffic.requests.value();
        counts.bytes_received += traffic.bytes_received.value();
        counts.bytes_sent += traffic.bytes_sent.value();
        counts.refused_total += traffic.refused.value();
    }
    return counts;
}

}  // namespace stele::kernel::http
