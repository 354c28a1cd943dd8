#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/audit/activity.hpp"
#include "kernel/job/background_thread.hpp"
#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::audit {

struct AuditLogOptions {
    /// Every write is in the audit log, not only those into data stores that ask for it.
    bool is_enabled = false;
    /// Zero: for ever.
    std::chrono::milliseconds retention{std::chrono::hours(24 * 90)};
};

/// The audit log of all platforms (docs/guides/operation.md): a collection of records on each,
/// which grows with the writes themselves and loses what is too old in the background. Any thread.
class AuditLog {
public:
    /// What `write_later` takes in a second; more is only counted, in the audit log itself.
    static constexpr std::size_t kMaxWaiting = 10;

    AuditLog(sdk::Engine& engine, storage::DocumentStore& documents,
             const storage::CollectionRules& rules, AuditLogOptions options)
        : engine_(engine), documents_(documents), rules_(rules), options_(options) {}
    ~AuditLog();

    bool is_enabled() const { return options_.is_enabled; }
    /// How long the sweeper rests: a tenth of what is kept, so that little is kept too long.
    static std::chrono::milliseconds trim_interval(std::chrono::milliseconds retention);

    /// Adds to the audit log with the commit of the transaction, or not at all.
    sdk::Result<void> write(sdk::Transaction& transaction, const sdk::PlatformScope& platform,
                            const Activity& activity);
    /// For what is no part of a transaction, because it was refused.
    void write_later(const sdk::PlatformScope& platform, Activity activity);

    using Platforms = std::function<sdk::Result<std::vector<sdk::PlatformScope>>()>;
    /// Begins to write what waits and to remove what is too old on the platforms given.
    void start(Platforms platforms);
    /// Writes what waits and ends. May be repeated.
    void stop();

    /// Both are done by themselves, too.
    sdk::Result<void> write_waiting();
    sdk::Result<void> trim(std::uint64_t platform, std::int64_t now_ms);

private:
    void run();
    void write_down();
    void trim_all();
    sdk::Result<bool> trim_step(storage::CollectionId collection, std::int64_t oldest_ms,
                                storage::Sequence& last);

    using Waiting = std::vector<std::pair<sdk::PlatformScope, Activity>>;

    sdk::Engine& engine_;
    storage::DocumentStore& documents_;
    const storage::CollectionRules& rules_;
    const AuditLogOptions options_;
    Platforms platforms_;
    std::mutex mutex_;
    Waiting waiting_;
    std::uint64_t omitted_ = 0;  ///< since the last ones were written
    sdk::PlatformScope omitted_on_;
    job::BackgroundThread thread_;
};

}  // namespace stele::kernel::audit
