// The server with a handler that answers at once: what connection, parser and reply cost.
//
//     bench_http_server <port> <threads> <body bytes>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernel/http/connection/server.hpp"
#include "kernel/job/worker_pool.hpp"

namespace {

using namespace stele::kernel;

class FixedReply final : public http::RequestHandler {
public:
    explicit FixedReply(std::size_t size) : body_(size, 'x') {}

    void handle(http::Exchange& exchange) override {
        http::Response response;
        response.body = body_;
        exchange.answer(std::move(response));
    }

private:
    std::string body_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s <port> <threads> <body bytes>\n", arguments[0]);
        return 2;
    }
    // Before any thread exists, so that all of them leave the signal to this one.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    job::WorkerPool workers(1, 16);
    FixedReply handler(std::strtoul(arguments[3], nullptr, 10));
    http::ServerOptions options;
    options.port = static_cast<std::uint16_t>(std::strtoul(arguments[1], nullptr, 10));
    options.threads = std::atoi(arguments[2]);
    http::Server server(options, handler, workers);
    if (const auto started = server.start(); !started) {
        std::fprintf(stderr, "%s\n", started.error().message.c_str());
        return 1;
    }
    int signal = 0;
    sigwait(&ends, &signal);
    server.drain(std::chrono::seconds(1));
}
