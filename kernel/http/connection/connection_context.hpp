#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "kernel/http/connection/server_options.hpp"
#include "kernel/http/limit/address_counts.hpp"
#include "kernel/http/limit/body_memory.hpp"
#include "kernel/http/message/message_rules.hpp"
#include "kernel/job/counter.hpp"

namespace stele::kernel::resource {
class SentLane;
}

namespace stele::kernel::job {
class WorkerPool;
}

namespace stele::kernel::http {

class AccessLane;
class Connection;

/// What all I/O threads of a server share.
struct ServerShared {
    ServerShared(ServerOptions given, RequestHandler& handler_, job::WorkerPool& workers_)
        : options(std::move(given)),
          cors(options.cors_origins),
          body_memory(options.limits.body_memory, options.limits.body_memory_per_address),
          handler(handler_),
          workers(workers_) {}

    const ServerOptions options;
    const CorsRules cors;
    BodyMemory body_memory;
    RequestHandler& handler;
    job::WorkerPool& workers;
    std::atomic<std::size_t> open{0};
    std::atomic<bool> is_draining{false};

    void connection_closed() {
        const bool was_last = open.fetch_sub(1) == 1;
        if (!was_last || !is_draining) return;
        const std::lock_guard lock(mutex);
        all_closed.notify_all();
    }

    std::mutex mutex;
    std::condition_variable all_closed;

    AddressCounts addresses;
};

struct Traffic {
    using Counter = job::Counter;

    Counter connections;
    Counter requests;
    Counter bytes_received;
    Counter bytes_sent;
    Counter refused;
};

/// The I/O thread that a connection lives on. Everything but `post` is for that thread alone.
class ConnectionContext {
public:
    explicit ConnectionContext(std::shared_ptr<ServerShared> shared_state);
    virtual ~ConnectionContext() = default;

    /// Runs `task` on this thread soon; any thread. Dropped once the server has stopped.
    virtual void post(std::function<void()> task) = 0;
    /// Lets go of a connection that has closed.
    virtual void remove(Connection& connection) = 0;

    bool is_own_thread() const { return thread_ == std::this_thread::get_id(); }
    /// For the header `Date`; renewed by the sweep.
    std::string_view date() const { return date_; }
    /// Writes the next request id: 20 hexadecimal digits.
    void next_request_id(std::string& id);
    /// Milliseconds of a clock that is cheap and only as exact as deadlines need.
    static std::int64_t now();

private:
    // Before what refers to it.
    std::shared_ptr<ServerShared> shared_;

public:
    ServerShared& shared;
    Traffic traffic;
    /// Null without an access log.
    AccessLane* const access_lane;
    /// Null where usage is not counted.
    resource::SentLane* const sent_lane;

protected:
    void enter_thread() { thread_ = std::this_thread::get_id(); }
    void renew_date();

private:
    std::thread::id thread_;
    std::string date_;
    std::time_t date_second_ = 0;
    std::uint32_t id_prefix_;
    std::uint64_t id_count_;
};

}  // namespace stele::kernel::http
