#include "family/sweep.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/counted_bytes.hpp"
#include "attachment/store_files.hpp"
#include "branch/rest_job.hpp"

namespace stele::nodes {

namespace {

constexpr char kSweep[] = "nodes.sweep";
constexpr std::size_t kRowsAtOnce = 5000;

/// True when nothing is left.
sdk::Result<bool> sweep_some(sdk::Transaction& transaction, const std::string& prefix) {
    std::vector<std::string> keys;
    {
        const auto cursor =
            transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid() && keys.size() < kRowsAtOnce; cursor->next())
            keys.emplace_back(cursor->key());
        if (auto status = cursor->status(); !status) return status.error();
    }
    for (const std::string& key : keys)
        transaction.remove(key);
    return keys.size() < kRowsAtOnce;
}

sdk::Result<sdk::Json> run_sweep(Services& services, sdk::Job& job) {
    const auto number = sdk::integer_member(job.input(), "repository");
    if (!number || *number <= 0) {
        return sdk::make_error({{"repository", "nodes.sweep_broken", "repository is missing"}});
    }
    const BranchPlace place{job.platform().number, static_cast<std::uint64_t>(*number), kFirstLine};
    const std::string content = services.branches.content_prefix(place);
    const sdk::ContentSpace space{place.platform, place.repository};
    const std::string files = file_rows(space);
    const std::string counted = counted_rows(space);
    bool is_done = false;
    while (!is_done && !job.must_stop()) {
        auto worked = services.registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                sdk::Transaction& transaction = context.transaction();
                if (auto confirmed = job.confirm(transaction); !confirmed) return confirmed;
                auto swept = sweep_some(transaction, content);
                for (const std::string& rows : {files, counted})
                    if (swept && *swept) swept = sweep_some(transaction, rows);
                if (!swept) return swept.error();
                is_done = *swept;
                return {};
            });
        if (!worked) return worked.error();
    }
    if (is_done) return sdk::Json::object();
    return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.sweep_stopped",
                           "the job was stopped");
}

}  // namespace

void define_sweep(Services& services) {
    services.jobs.define(rest_job(
        {.name = kSweep, .run = [&services](sdk::Job& job) { return run_sweep(services, job); }}));
}

sdk::Result<void> sweep_later(Services& services, sdk::Context& context,
                              const sdk::RecordKey& repository) {
    auto place = services.branches.find_repository(context.transaction(), repository);
    if (!place) return sdk::is_missing(place.error()) ? sdk::Result<void>() : place.error();
    auto started = services.jobs.start(
        context.as_system(), {.type = kSweep, .input = {{"repository", place->repository}}});
    if (!started) return started.error();
    return services.branches.forget_repository(context.transaction(), repository);
}

}  // namespace stele::nodes
