#include "job/index_job.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/services/node_search.hpp>

#include "job/node_jobs.hpp"

namespace stele::nodes {

namespace {

constexpr char kIndexJob[] = "index";

/// Any search waits until the index has what was committed before it.
sdk::Result<sdk::Json> run_index(Services& services, sdk::Job& job) {
    auto* search = services.registrar.find<sdk::NodeSearch>();
    if (search == nullptr) return sdk::Json{{"searched", false}};
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto content = open_address(services, context, job.input());
            // A branch that is gone by now needs no index.
            if (!content && sdk::is_missing(content.error())) return {};
            if (!content) return content.error();
            auto found = search->search(context, content->branch(), job.id(), {.hits = 0});
            if (!found) return found.error();
            return {};
        });
    if (!done) return done.error();
    return sdk::Json{{"searched", true}};
}

}  // namespace

void define_index_job(Services& services) {
    services.jobs.define({.name = kIndexJob,
                          .run = [&services](sdk::Job& job) { return run_index(services, job); },
                          .is_of_starter = false});
}

sdk::Result<void> start_index_job(const BranchContent& content) {
    return start_branch_job(content, kIndexJob);
}

}  // namespace stele::nodes
