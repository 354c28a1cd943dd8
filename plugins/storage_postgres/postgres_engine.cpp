#include "postgres_engine.hpp"

#include <unistd.h>

#include <array>

#include <stele/sdk/engine_binaries.hpp>
#include <stele/sdk/log.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/shared_engine.hpp>

#include "blobs.hpp"
#include "change_feed.hpp"
#include "committer.hpp"
#include "entry_cache.hpp"
#include "keeper.hpp"
#include "keys.hpp"
#include "pool.hpp"
#include "snapshot_reader.hpp"
#include "store_layout.hpp"
#include "transaction.hpp"

namespace stele::storage_postgres {

namespace {

class PostgresEngine final : public sdk::SharedEngine, public sdk::EngineBinaries {
public:
    explicit PostgresEngine(const Options& options)
        : server_(server_name()),
          pool_(options),
          cache_(options.row_cache_bytes),
          feed_(pool_, cache_) {}

    /// Before anything else.
    sdk::Result<void> begin_serving() {
        auto version = pool_.run<Rows>([](Connection& connection, Deadline deadline) {
            return connection.run(Statement::read_version, {}, deadline);
        });
        if (!version) return version.error();
        if (auto reported = report_server(pool_, server_, version->number(0, 0)); !reported)
            return reported;
        feed_.begin_at(version->number(0, 0));
        if (auto view = feed_.present(); !view) return view.error();
        committer_ = std::make_unique<Committer>(pool_, feed_, cache_);
        keeper_ = std::make_unique<Keeper>(pool_, feed_, server_);
        return {};
    }

    std::unique_ptr<sdk::Reader> snapshot() override {
        return std::make_unique<SnapshotReader>(pool_, feed_, cache_, feed_.present());
    }
    std::unique_ptr<sdk::Transaction> begin() override {
        return std::make_unique<PostgresTransaction>(pool_, feed_, cache_, *committer_,
                                                     feed_.present());
    }
    bool is_local() const override { return false; }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        feed_.observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override;
    sdk::Result<std::uint64_t> other_servers() override;
    sdk::EngineBinaries* binaries() override { return this; }
    std::string binaries_name() const override { return "postgres"; }
    std::unique_ptr<sdk::BlobStore> open_binaries() override { return open_blobs(pool_); }
    sdk::Result<void> status() const override {
        if (auto sound = feed_.status(); !sound) return sound;
        return pool_.status();
    }

private:
    static std::string server_name() {
        std::array<char, 256> host{};
        if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
        return std::string(host.data()) + ":" + std::to_string(::getpid()) + ":" +
               sdk::random_hex(4);
    }

    const std::string server_;
    Pool pool_;
    EntryCache cache_;
    ChangeFeed feed_;
    std::unique_ptr<Committer> committer_;
    std::unique_ptr<Keeper> keeper_;
};

std::uint64_t PostgresEngine::approximate_size(const sdk::KeyRange& range) {
    const std::string end = upper_bound(range.end);
    auto size = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(Statement::estimate_size, Parameters().bytes(range.begin).bytes(end),
                              deadline);
    });
    if (size && size->size() == 1) return size->number(0, 0);
    sdk::log(sdk::LogLevel::warning, "storage_postgres",
             "a size cannot be estimated: " + (size ? "no rows" : size.error().detail));
    return 0;
}

sdk::Result<std::uint64_t> PostgresEngine::other_servers() {
    // Three rounds without a sign of life, and it counts as dead.
    const std::int64_t silent_ms = 3 * pool_.options().tidying.count();
    auto count = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(Statement::count_servers,
                              Parameters().bytes(server_).integer(silent_ms), deadline);
    });
    if (!count) return count.error();
    return count->number(0, 0);
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::Engine>> open_postgres(const Options& options) {
    if (auto prepared = prepare_store(options); !prepared) return prepared.error();
    auto engine = std::make_unique<PostgresEngine>(options);
    if (auto begun = engine->begin_serving(); !begun) return begun.error();
    return std::unique_ptr<sdk::Engine>(std::move(engine));
}

}  // namespace stele::storage_postgres
