#include "attachment/collected_loads.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "attachment/counted_bytes.hpp"
#include "branch/loading.hpp"
#include "branch/rest_job.hpp"

namespace stele::nodes {

namespace {

sdk::Result<sdk::Json> run_collection(Services& services, sdk::Job& job) {
    const auto repository = sdk::integer_member(job.input(), kCollectedRepository);
    const auto line = sdk::integer_member(job.input(), kCollectedLine);
    if (!repository || !line)
        return sdk::make_error({{kCollectedLine, "nodes.collection_broken", "line is missing"}});
    const BranchPlace place{job.platform().number, static_cast<std::uint64_t>(*repository),
                            static_cast<Line>(*line)};
    auto collected = BranchStore::Collected::in_part;
    BranchStore::CollectedTo to;
    while (collected == BranchStore::Collected::in_part && !job.must_stop()) {
        BranchStore::CollectedTo then;
        auto worked = services.registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job.confirm(context.transaction()); !held) return held;
                // It makes room.
                context.transaction().set_urgent();
                then = to;
                auto some = services.branches.collect_line(context.transaction(), place,
                                                           sdk::now_ms(), then);
                if (!some) return some.error();
                collected = *some;
                if (collected == BranchStore::Collected::wholly) {
                    // It was shown, or nothing is left of it.
                    auto is_counted = count_loaded(services, context, place);
                    if (!is_counted) return is_counted.error();
                    if (!*is_counted) collected = BranchStore::Collected::in_part;
                }
                if (collected == BranchStore::Collected::in_part) return {};
                if (collected == BranchStore::Collected::not_yet) {
                    auto later =
                        services.jobs.start(context, collection_of(place, kBetweenLooksMs));
                    if (!later) return later.error();
                }
                return job.finish(context.transaction(), sdk::Json::object());
            });
        if (!worked) return worked.error();
        to = std::move(then);
    }
    if (collected != BranchStore::Collected::in_part) return sdk::Json::object();
    return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.sweep_stopped",
                           "the job was stopped");
}

}  // namespace

void define_collection(Services& services) {
    services.jobs.define(rest_job({.name = kCollection, .run = [&services](sdk::Job& job) {
                                       return run_collection(services, job);
                                   }}));
}

}  // namespace stele::nodes
