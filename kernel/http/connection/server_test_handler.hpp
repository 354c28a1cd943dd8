#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kernel/http/connection/server.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

/// Answers by path; see server_handler_test.cpp.
class TestHandler final : public RequestHandler {
public:
    explicit TestHandler(job::WorkerPool& workers) : workers_(workers) {}

    void handle(Exchange& exchange) override;
    BodyWay body_way(Request& request) override;
    void admit(Exchange& exchange) override;

    static const std::string& streamed_text();
    int most_pulls_at_once() const { return most_pulls_; }
    /// Requests for `/upload` that were handled.
    int uploads() const { return uploads_; }
    int downloads_opened() const { return downloads_opened_; }
    /// `/file` is a download of so many bytes; before it is asked for.
    void serve_file(sdk::Reply::FileSource file, sdk::Reply::RangeSource ranges,
                    std::uint64_t size) {
        const std::lock_guard lock(mutex_);
        file_ = std::move(file);
        file_ranges_ = std::move(ranges);
        file_size_ = size;
    }
    /// Waits until the source of `/endless` was destroyed.
    void wait_until_source_gone();
    void wait_until_held();
    /// Whether the client of `/held` was seen to leave within some seconds.
    bool held_is_abandoned();
    /// Answers the request for `/held`.
    void release_held();

private:
    Response response_for(const Request& request);
    bool stream_for(std::string_view path, Response& response);
    void answer_later(Exchange& exchange);
    void answer_upload(Exchange& exchange);
    Response download_for(const Request& request);
    void notice(bool& flag);
    void wait(const bool& flag);

    job::WorkerPool& workers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Exchange> held_;
    bool is_held_ = false;
    bool is_source_gone_ = false;
    std::atomic<int> uploads_{0};
    std::atomic<int> downloads_opened_{0};
    sdk::Reply::FileSource file_;
    sdk::Reply::RangeSource file_ranges_;
    std::uint64_t file_size_ = 0;
    std::atomic<int> pulls_{0};
    std::atomic<int> most_pulls_{0};
};

/// A server on a free port with two I/O threads and the handler above.
class TestServer {
public:
    explicit TestServer(ServerOptions options = {});
    ~TestServer();
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    std::uint16_t port() const { return server_->port(); }
    Server& get() { return *server_; }
    TestHandler& handler() { return handler_; }
    job::WorkerPool& workers() { return workers_; }

private:
    job::WorkerPool workers_{2, 100};
    TestHandler handler_{workers_};
    std::unique_ptr<Server> server_;
};

/// A request with a Host line and the length of its body.
std::string request_to(std::string_view method, std::string_view path, std::string_view body = {},
                       std::string_view headers = {});

}  // namespace stele::kernel::http
