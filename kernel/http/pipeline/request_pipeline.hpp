#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/authenticator.hpp>

#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/http/log/request_metrics.hpp"
#include "kernel/http/message/message.hpp"
#include "kernel/http/message/message_rules.hpp"
#include "kernel/http/message/stages.hpp"
#include "kernel/http/pipeline/commits_under_way.hpp"
#include "kernel/http/pipeline/lock_waits.hpp"
#include "kernel/http/pipeline/router.hpp"
#include "kernel/job/budget.hpp"
#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::job {
class WorkerPool;
}

namespace stele::kernel::http {

/// A request on its way through the stages (docs/request-life.md).
struct PendingRequest {
    std::shared_ptr<Exchange> exchange;
    resource::RequestInput input;
    /// A transaction that began before the caller was known; taken by the first attempt.
    std::shared_ptr<resource::WorkContext::Work> work;
    std::unique_ptr<resource::WorkContext> context;
    std::optional<sdk::Reply> reply;
    /// Until when it may be worked on; ends with the client, too.
    std::optional<job::Budget> budget;
    /// Those before that met a conflict.
    std::size_t attempts = 0;
    /// A record that it read named bytes that were not there.
    bool has_looked_again = false;
    /// Until when it waits for locked data stores; set by the first one that it meets.
    std::optional<LockWaits::Clock::time_point> lock_deadline;
    /// Until when it is repeated because others do the same; set by the first time.
    std::optional<LockWaits::Clock::time_point> turn_deadline;
    std::int64_t started_ns = 0;
    /// Nothing but what browsers add by themselves says who asks.
    bool is_by_browser = false;
    /// What a failed login counts against; empty where none was counted.
    std::string login_caller;

    void enter(const stages::Stage& stage) { input.stage = stage.name; }
};

/// How long writers wait for a locked data store, and how many at the same time.
struct LockPatience {
    std::chrono::milliseconds time{5000};
    std::size_t waiters = 1000;
};

/// Takes a request from the connection to its answer, through the stages of
/// kernel/http/message/stages.hpp. Each lies in a file of its own under `stages/` or, where it
/// knows no protocol, in the room `resource`.
class RequestPipeline final : public RequestHandler {
public:
    RequestPipeline(resource::Services& services, job::WorkerPool& workers,
                    sdk::Authenticator* authenticator, LockPatience patience = {});
    ~RequestPipeline() override;

    /// Builds the route table from the frozen registry, and learns where credentials stand; fails
    /// when two plugins claim one route.
    sdk::Result<void> build_routes();

    void handle(Exchange& exchange) override;
    BodyWay body_way(Request& request) override;
    void admit(Exchange& exchange) override;

    /// From now on `/readyz` answers 503, and nobody waits for a locked data store.
    void set_draining() {
        is_draining_ = true;
        lock_waits_.stop();
    }
    /// Returns when the engine has answered every commit. After the workers have stopped, so that
    /// none is handed over any more.
    void wait_for_commits() { commits_.wait_for_none(); }
    /// Before serving begins: whose pages may act for whoever has a cookie.
    void set_origins(std::vector<std::string> origins) { cors_ = CorsRules(std::move(origins)); }
    /// Before serving begins: how long a request is repeated that waits for its turn.
    void set_busy_wait(std::chrono::milliseconds time) { busy_wait_ = time; }
    /// Before serving begins: how long one request may be worked on.
    void set_request_time(std::chrono::milliseconds time) { request_time_ = time; }
    /// Before serving begins: how long one query of a request may be worked on.
    void set_query_time(std::chrono::milliseconds time) { query_time_ = time; }
    /// Before serving begins.
    void set_limits(RateLimits limits) { limits_ = std::move(limits); }
    /// Another reason for `/readyz` to answer 503; before serving begins.
    void add_readiness(std::function<sdk::Result<void>()> state) { readiness_ = std::move(state); }
    /// Adds lines to `/metrics`.
    void add_metrics(std::function<std::string()> lines) { metrics_.add_source(std::move(lines)); }

private:
    std::shared_ptr<PendingRequest> take_up(Exchange& exchange, const resource::Route& route,
                                            std::vector<std::string>&& values);
    // stages/route.cpp
    const resource::Route* find_route(Exchange& exchange, RouteMatch& match);
    static bool comes_in_pieces(const resource::Route& route, const Request& request);
    void answer_method_unknown(Exchange& exchange, const std::string& allowed);
    sdk::Result<void> readiness() const;
    void answer_kernel_route(Exchange& exchange, const resource::Route& route);
    /// `/openapi.json`, plain and compressed, each with its tag.
    struct Description {
        std::shared_ptr<const std::string> text;
        std::shared_ptr<const std::string> compressed;
        std::string tag;
        std::string compressed_tag;
    };
    static Description description_of(std::string text);
    void describe(Exchange& exchange);
    void answer_description(Exchange& exchange);
    // stages/begin.cpp
    void begin(const std::shared_ptr<PendingRequest>& pending);
    bool identify(const std::shared_ptr<PendingRequest>& pending);
    sdk::Result<void> admit_upload(PendingRequest& pending);
    static sdk::Error failure(std::string_view stage, const std::exception& exception);
    // stages/authenticate.cpp
    sdk::Result<void> learn_credential_parts();
    sdk::Credential credential_of(const PendingRequest& pending) const;
    sdk::Result<sdk::SessionPtr> authenticate(PendingRequest& pending) const;
    bool may_act_for_page(const PendingRequest& pending) const;
    // stages/limit.cpp
    bool is_within_rate(PendingRequest& pending, const sdk::Session* session);
    void refuse(Exchange& exchange, const RateLimiter& limiter,
                const RateLimiter::Decision& decision);
    void forgive_login(PendingRequest& pending);
    // stages/handle.cpp
    void attempt(const std::shared_ptr<PendingRequest>& pending);
    void run_stages(const std::shared_ptr<PendingRequest>& pending);
    bool post(const std::shared_ptr<PendingRequest>& pending);
    void move_to_worker(const std::shared_ptr<PendingRequest>& pending);
    static sdk::Error busy();
    void look_again(const std::shared_ptr<PendingRequest>& pending, const sdk::Error& error);
    // stages/wait_for_lock.cpp
    void wait_for_lock(const std::shared_ptr<PendingRequest>& pending, const sdk::Error& error);
    void wait_for_turn(const std::shared_ptr<PendingRequest>& pending, const sdk::Error& error);
    // stages/commit.cpp
    void commit(const std::shared_ptr<PendingRequest>& pending);
    void committed(const std::shared_ptr<PendingRequest>& pending, sdk::Result<void> result);
    // stages/reply.cpp
    void succeed(const std::shared_ptr<PendingRequest>& pending);
    void answer(Exchange& exchange, Response response);
    void fail(Exchange& exchange, const sdk::Error& error);
    void fail(const std::shared_ptr<PendingRequest>& pending, const sdk::Error& error);

    resource::Services& services_;
    job::WorkerPool& workers_;
    sdk::Authenticator* authenticator_;
    std::vector<sdk::CredentialPart> credential_parts_;
    sdk::SessionPtr anonymous_;
    Router router_;
    std::vector<resource::Route> kernel_routes_;
    std::vector<const resource::Route*> targets_;
    /// Made when somebody asks first: that takes longer than all else of a start.
    Description description_;
    std::once_flag description_made_;
    std::atomic<bool> is_described_{false};
    RequestMetrics metrics_;
    std::function<sdk::Result<void>()> readiness_;
    CorsRules cors_{std::vector<std::string>()};
    RateLimits limits_;
    std::atomic<std::uint64_t> refused_by_rate_{0};
    std::atomic<bool> is_draining_{false};
    CommitsUnderWay commits_;
    const std::chrono::milliseconds lock_patience_;
    std::chrono::milliseconds request_time_{120'000};
    std::chrono::milliseconds query_time_{10'000};
    std::chrono::milliseconds busy_wait_{20'000};
    // The last one: what it resumes uses the others.
    LockWaits lock_waits_;
};

/// Splits and decodes a query string; `invalid` when its encoding is broken.
sdk::Result<std::vector<std::pair<std::string, std::string>>> decode_query(std::string_view query);

}  // namespace stele::kernel::http
