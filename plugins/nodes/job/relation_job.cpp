#include "job/relation_job.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/services/jobs.hpp>

#include "history/former_relations.hpp"
#include "job/node_jobs.hpp"

namespace stele::nodes {

namespace {

constexpr char kRelationJob[] = "drop-elements";
/// Of a job: `[node, property, target]` for each element.
constexpr char kElements[] = "elements";
constexpr std::size_t kElementsOfJob = 10'000;
constexpr std::size_t kBytesOfJob = 1u << 20;
/// Nodes that one transaction writes, fewer where they are long.
constexpr std::size_t kNodesInTransaction = 50;
constexpr std::size_t kBytesInTransaction = 1u << 20;
/// How often a removal begins again before it leaves other nodes to a job.
constexpr std::size_t kRepetitionsOfRemoval = 2;
/// Somebody who writes such a node all the time stops at some time.
constexpr int kAttemptsOfJob = 10;

/// As far as one transaction goes.
sdk::Result<void> drop_some(const BranchContent& server, const GoneElements& gone,
                            GoneElements::const_iterator& next, std::size_t most) {
    std::size_t bytes = 0;
    for (std::size_t count = 0; next != gone.end() && count < most && bytes < kBytesInTransaction;
         ++count, ++next) {
        auto dropped = drop_elements(server, next->first, next->second);
        if (!dropped) return dropped.error();
        bytes += *dropped;
    }
    return {};
}

sdk::Result<void> start_one(const BranchContent& server, sdk::Json elements) {
    if (elements.empty()) return {};
    auto input = address_of(server);
    if (!input) return input.error();
    (*input)[kElements] = std::move(elements);
    auto started = server.services().jobs.start(server.context(),
                                                {.type = kRelationJob, .input = std::move(*input)});
    return started ? sdk::Result<void>() : started.error();
}

sdk::Result<void> leave_to_jobs(const BranchContent& server, const GoneElements& gone,
                                GoneElements::const_iterator next) {
    sdk::Json elements = sdk::Json::array();
    std::size_t bytes = 0;
    for (; next != gone.end(); ++next) {
        for (const auto& [property, targets] : next->second) {
            for (const std::string& target : targets) {
                elements.push_back(sdk::Json::array({next->first, property, target}));
                bytes += next->first.size() + property.size() + target.size();
                if (elements.size() < kElementsOfJob && bytes < kBytesOfJob) continue;
                bytes = 0;
                auto started = start_one(server, std::exchange(elements, sdk::Json::array()));
                if (!started) return started;
            }
        }
    }
    return start_one(server, std::move(elements));
}

sdk::Result<void> drop_from_branch(Services& services, sdk::Context& context,
                                   const sdk::RecordKey& branch, Changes::Relations::Gone gone) {
    // What went itself names nobody.
    std::erase_if(gone.elements,
                  [&gone](const auto& one) { return gone.nodes.contains(one.first); });
    if (gone.elements.empty()) return {};
    auto server = BranchContent::open(services, context.as_system(), branch);
    if (!server) return server.error();
    const bool is_repeated = context.attempt() > kRepetitionsOfRemoval;
    auto next = gone.elements.cbegin();
    if (!is_repeated && gone.elements.size() <= kNodesInTransaction) {
        if (auto dropped = drop_some(*server, gone.elements, next, kNodesInTransaction); !dropped)
            return dropped;
    }
    return leave_to_jobs(*server, gone.elements, next);
}

/// What the job was told, by node: each is written once.
GoneElements gone_in(const sdk::Json& input) {
    GoneElements gone;
    for (const sdk::Json& element : input.at(kElements)) {
        const auto part = [&element](std::size_t at) { return element.at(at).get<std::string>(); };
        gone[part(0)][part(1)].insert(part(2));
    }
    return gone;
}

sdk::Result<void> drop_in_transaction(Services& services, const sdk::Job& job,
                                      const GoneElements& gone, GoneElements::const_iterator& next,
                                      std::size_t most) {
    auto at = next;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            at = next;
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto server = open_address(services, context, job.input());
            if (!server && !sdk::is_missing(server.error())) return server.error();
            if (!server) {
                // They went with their branch.
                at = gone.end();
                return {};
            }
            // The deletion was let in, and this is the rest of it.
            server->changes().lift_protection(server->branch());
            return drop_some(*server, gone, at, most);
        });
    if (done) next = at;
    return done;
}

sdk::Result<sdk::Json> run_relations(Services& services, sdk::Job& job) {
    const GoneElements gone = gone_in(job.input());
    std::optional<sdk::Error> failure;
    std::size_t most = kNodesInTransaction;
    for (auto next = gone.begin(); next != gone.end();) {
        if (job.must_stop()) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.relations_stopped",
                                   "the job was stopped");
        }
        auto dropped = drop_in_transaction(services, job, gone, next, most);
        if (dropped) {
            most = std::min(2 * most, kNodesInTransaction);
        } else if (most > 1) {
            // One that somebody keeps writing does not hold up the others.
            most = 1;
        } else {
            failure = dropped.error();
            ++next;
        }
    }
    if (failure) return *failure;
    return sdk::Json{{"nodes", gone.size()}};
}

}  // namespace

void drop_gone_elements(const BranchContent& content) {
    Services& services = content.services();
    content.changes().write_last(
        "relations", [&services](sdk::Context& context) -> sdk::Result<void> {
            auto& relations = Changes::of(context, services.branches).relations();
            for (auto& [branch, gone] : std::exchange(relations.gone, {})) {
                auto dropped = drop_from_branch(services, context, branch, std::move(gone));
                if (!dropped) return dropped;
            }
            return {};
        });
}

void define_relation_job(Services& services) {
    services.jobs.define(
        {.name = kRelationJob,
         .run = [&services](sdk::Job& job) { return run_relations(services, job); },
         .attempts = kAttemptsOfJob,
         .is_of_starter = false});
}

}  // namespace stele::nodes
