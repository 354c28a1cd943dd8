#include "kernel/resource/upkeep/reseal.hpp"

#include <string>
#include <vector>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::resource {

namespace {

/// Records that change in one transaction.
constexpr std::size_t kResealBatch = 64;

class Reseal {
public:
    Reseal(sdk::Engine& engine, const sdk::Sealer& sealer, const std::function<bool()>& must_stop)
        : engine_(engine), sealer_(sealer), must_stop_(must_stop) {}

    sdk::Result<void> run(std::uint64_t platform);
    const ResealOutcome& outcome() const { return outcome_; }

private:
    sdk::Result<void> reseal(const std::vector<std::string>& paths);
    sdk::Result<bool> reseal_one(sdk::Transaction& transaction, const std::string& path);

    sdk::Engine& engine_;
    const sdk::Sealer& sealer_;
    const std::function<bool()>& must_stop_;
    ResealOutcome outcome_;
};

sdk::Error broken() {
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", "The store is damaged.",
                           "a record is none; stele check names it");
}

sdk::Result<void> Reseal::run(std::uint64_t platform) {
    const auto reader = engine_.snapshot();
    const std::string prefix = storage::kind_prefix(platform, 'd');
    const auto cursor =
        reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<std::string> paths;
    storage::Record record;
    for (; cursor->is_valid(); cursor->next()) {
        record.buffer() = cursor->value();
        if (!record.decode()) return broken();
        if (record.sealed().empty()) continue;
        ++outcome_.sealed;
        if (!sealer_.is_outdated(record.sealed())) continue;
        paths.emplace_back(cursor->key());
        if (paths.size() < kResealBatch) continue;
        if (auto done = reseal(paths); !done) return done;
        paths.clear();
    }
    if (auto status = cursor->status(); !status) return status;
    return reseal(paths);
}

sdk::Result<void> Reseal::reseal(const std::vector<std::string>& paths) {
    if (must_stop_()) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "resource.reseal_stopped",
                               "the server is stopping; repeat the rotation to end it");
    }
    std::uint64_t count = 0;
    auto done = sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
        count = 0;
        for (const std::string& path : paths) {
            auto changed = reseal_one(transaction, path);
            if (!changed) return sdk::Result<void>(changed.error());
            count += *changed ? 1 : 0;
        }
        return sdk::Result<void>();
    });
    outcome_.resealed += count;
    return done;
}

/// False when the record is gone, or somebody has written it meanwhile.
sdk::Result<bool> Reseal::reseal_one(sdk::Transaction& transaction, const std::string& path) {
    storage::Record record;
    auto found = transaction.get_into(path, record.buffer());
    if (!found) return found;
    if (!*found) return false;
    if (!record.decode()) return broken();
    if (!sealer_.is_outdated(record.sealed())) return false;
    auto secrets = sealer_.open(record.sealed());
    if (!secrets) return secrets.error();
    transaction.put(path, record.packed_with(sealer_.seal(*secrets)));
    return true;
}

}  // namespace

sdk::Result<ResealOutcome> reseal_secrets(sdk::Engine& engine, Platforms& platforms,
                                          const sdk::Sealer& sealer,
                                          const std::function<bool()>& must_stop) {
    auto all = platforms.all();
    if (!all) return all.error();
    Reseal reseal(engine, sealer, must_stop);
    for (const sdk::PlatformScope& platform : *all) {
        if (auto done = reseal.run(platform.number); !done) return done.error();
    }
    return reseal.outcome();
}

}  // namespace stele::kernel::resource
