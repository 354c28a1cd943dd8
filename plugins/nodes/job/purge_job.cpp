#include "job/purge_job.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/services/jobs.hpp>

#include "history/purge.hpp"

namespace stele::nodes {

namespace {

constexpr char kPurgeJob[] = "purge-deletions";
/// Deletions that one transaction purges, and that the job lists at once.
constexpr std::size_t kPurgeStep = 100;
constexpr std::size_t kListedByJob = 1'000;
/// The same of what went with one node.
constexpr std::size_t kRestListed = 5'000;
/// Somebody who writes such an association all the time stops at some time.
constexpr int kAttempts = 10;

sdk::Result<void> check_running(const sdk::Job& job) {
    if (!job.must_stop()) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.deletion_purge_stopped",
                           "the job was stopped");
}

/// Others write it whenever we do; what comes after it can go.
bool is_held_up(const sdk::Job& job, const sdk::Error& error) {
    return error.code == "engine.busy" && !job.must_stop();
}

/// They went with their branch, or it was reset.
bool is_void(const sdk::Error& error) {
    return sdk::is_missing(error) || error.code == kPurgeOvertaken;
}

/// Purges the first of the ids, at most `most`, and takes them out of the list. Tells by `most` how
/// many the next step may take: as few as were let through, and more again where nobody came first.
sdk::Result<std::size_t> purge_step(Services& services, sdk::Job& job, const PurgeOrder& order,
                                    std::span<const std::string>& ids, std::size_t& most) {
    std::size_t purged = 0;
    std::size_t taken = 0;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto content = order.open(services, context, job.run_as());
            if (!content) return content.error();
            taken = fewer_when_repeated(most, context);
            auto step =
                purge_deletions(*content, order.until, ids.first(std::min(ids.size(), taken)));
            if (!step) return step.error();
            purged = *step;
            return {};
        });
    if (!done) return done.error();
    ids = ids.subspan(std::min(ids.size(), taken));
    most = taken < most ? taken : std::min(2 * most, kPurgeStep);
    return purged;
}

/// Those that were there when it was started: whoever goes on deleting would keep it running.
sdk::Result<sdk::Json> run_purge(Services& services, sdk::Job& job) {
    const PurgeOrder order = PurgeOrder::of(job);
    PurgeList list(services, job.platform(), job.run_as(), order.branch, order.until);
    std::size_t purged = 0;
    std::size_t most = kPurgeStep;
    std::optional<sdk::Error> failure;
    while (!list.is_at_end()) {
        auto ids = list.next(kListedByJob, [&] { return check_running(job); });
        if (!ids) return ids.error();
        for (std::span<const std::string> left = *ids; !left.empty();) {
            if (auto runs = check_running(job); !runs) return runs.error();
            auto step = purge_step(services, job, order, left, most);
            if (!step && !is_held_up(job, step.error())) return step.error();
            if (!step) {
                failure = step.error();
                left = left.subspan(1);
                continue;
            }
            purged += *step;
            if (auto shown = job.progress({.done = purged + list.kept()}); !shown)
                return shown.error();
        }
    }
    if (failure) return *failure;
    return sdk::Json{{"purged", purged}, {"kept", list.kept()}};
}

/// The rest of what went with purged nodes.
class RestPurge {
public:
    RestPurge(Services& services, sdk::Job& job)
        : services_(services), job_(job), order_(PurgeOrder::of(job)) {}

    sdk::Result<sdk::Json> run() {
        for (const std::string& node : purged_nodes(job_)) {
            for (const char* end : kAssociationEnds) {
                auto done = purge_at(end, node);
                if (!done && is_void(done.error())) return sdk::Json{{"purged", purged_}};
                if (!done) return done.error();
            }
        }
        if (failure_) return *failure_;
        return sdk::Json{{"purged", purged_}};
    }

private:
    using Work = std::function<sdk::Result<void>(const BranchContent&, sdk::Context&)>;

    sdk::Result<void> on_branch(const Work& work) {
        return services_.registrar.run_as_system(
            job_.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job_.confirm(context.transaction()); !held) return held;
                auto content = order_.open(services_, context, job_.run_as());
                if (!content) return content.error();
                // The purge of the node was let in, and this is the rest of it.
                content->changes().lift_protection(content->branch());
                return work(*content, context);
            });
    }

    sdk::Result<void> purge_at(const char* end, const std::string& node) {
        std::size_t passed = 0;
        for (;;) {
            std::vector<std::string> ids;
            // Apart from what purges, which would have a conflict with whoever writes one of them.
            auto listed = on_branch([&](const BranchContent& content, sdk::Context&) {
                auto found = deletions_at(content, end, node, passed, kRestListed);
                if (found) ids = std::move(*found);
                return found ? sdk::Result<void>() : found.error();
            });
            if (!listed || ids.empty()) return listed;
            for (std::span<const std::string> left = ids; !left.empty();) {
                if (auto runs = check_running(job_); !runs) return runs;
                auto kept = step(left);
                if (!kept) return kept.error();
                passed += *kept;
            }
        }
    }

    /// Takes some of the ids out of the list; answers how many of them stay in the trash.
    sdk::Result<std::size_t> step(std::span<const std::string>& ids) {
        std::size_t taken = 0;
        PurgedAssociations done;
        auto worked = on_branch(
            [&](const BranchContent& content, sdk::Context& context) -> sdk::Result<void> {
                taken = std::min(ids.size(), fewer_when_repeated(kPurgeStep, context));
                auto purged = purge_associations(content, order_.until, ids.first(taken));
                if (!purged) return purged.error();
                done = *purged;
                return {};
            });
        if (!worked && !is_held_up(job_, worked.error())) return worked.error();
        if (!worked) {
            failure_ = worked.error();
            ids = ids.subspan(1);
            return std::size_t{1};
        }
        ids = ids.subspan(taken);
        purged_ += done.purged;
        if (auto shown = job_.progress({.done = purged_}); !shown) return shown.error();
        return done.kept;
    }

    Services& services_;
    sdk::Job& job_;
    const PurgeOrder order_;
    std::size_t purged_ = 0;
    std::optional<sdk::Error> failure_;
};

}  // namespace

sdk::Result<std::string> start_purge_job(Services& services, sdk::Context& context,
                                         const sdk::RecordKey& branch) {
    auto order = PurgeOrder::now(services, context, branch);
    if (!order) return order.error();
    return services.jobs.start(context, order->job(kPurgeJob));
}

void define_purge_jobs(Services& services) {
    services.jobs.define({.name = kPurgeJob,
                          .run = [&services](sdk::Job& job) { return run_purge(services, job); }});
    services.jobs.define(
        {.name = kAssociationPurgeJob,
         .run = [&services](sdk::Job& job) { return RestPurge(services, job).run(); },
         .attempts = kAttempts,
         .is_of_starter = false});
}

}  // namespace stele::nodes
