#include "kernel/audit/audit_log.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>
#include <stele/sdk/time.hpp>

namespace stele::kernel::audit {

namespace {

constexpr std::chrono::seconds kWriteInterval{1};
constexpr std::chrono::minutes kMaxTrimInterval{10};
/// Records that are removed in one transaction.
constexpr std::size_t kTrimStep = 200;

void log_failure(const char* doing, const sdk::Error& error) {
    sdk::log(sdk::LogLevel::error, "audit",
             std::string(doing) + ": " + error.code + ": " + error.message + " " + error.detail);
}

/// Epoch milliseconds at which a record was made, as its sequence begins with them.
std::int64_t made_at_ms(const storage::Record& record) {
    std::int64_t ms = 0;
    for (const char byte : std::string_view(record.sequence).substr(0, 6))
        ms = ms << 8 | static_cast<unsigned char>(byte);
    return ms;
}

}  // namespace

std::chrono::milliseconds AuditLog::trim_interval(std::chrono::milliseconds retention) {
    return std::clamp<std::chrono::milliseconds>(retention / 10, kWriteInterval, kMaxTrimInterval);
}

AuditLog::~AuditLog() {
    stop();
}

sdk::Result<void> AuditLog::write(sdk::Transaction& transaction, const sdk::PlatformScope& platform,
                                  const Activity& activity) {
    auto collection = documents_.open_collection(transaction, platform.number, kActivityType, {});
    if (!collection) return collection.error();
    const storage::Sequence sequence = storage::next_sequence();
    const sdk::Json record = activity_record(platform, storage::sequence_text(sequence), activity);
    auto stored =
        documents_.insert(transaction, *collection, rules_,
                          {.sequence = sequence, .custom_id = {}, .fields = record, .sealed = {}});
    if (!stored) return stored.error();
    return {};
}

void AuditLog::write_later(const sdk::PlatformScope& platform, Activity activity) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMaxWaiting) {
        waiting_.emplace_back(platform, std::move(activity));
        return;
    }
    ++omitted_;
    omitted_on_ = platform;
}

void AuditLog::start(Platforms platforms) {
    platforms_ = std::move(platforms);
    thread_.start([this] { run(); });
}

void AuditLog::stop() {
    if (thread_.stop()) write_down();
}

void AuditLog::run() {
    using Clock = std::chrono::steady_clock;
    auto next_trim = Clock::now();
    while (!thread_.is_stopping()) {
        write_down();
        if (Clock::now() >= next_trim) {
            trim_all();
            next_trim = Clock::now() + trim_interval(options_.retention);
        }
        thread_.rest(kWriteInterval);
    }
}

void AuditLog::write_down() {
    auto written = write_waiting();
    if (!written) log_failure("what was refused is missing in the audit log", written.error());
}

sdk::Result<void> AuditLog::write_waiting() {
    Waiting waiting;
    {
        const std::lock_guard lock(mutex_);
        waiting.swap(waiting_);
        if (omitted_ > 0) {
            Activity omitted;
            omitted.type = "refused.omitted";
            omitted.other_id = std::to_string(omitted_);
            omitted.status = 403;
            omitted.at_ms = sdk::now_ms();
            waiting.emplace_back(omitted_on_, std::move(omitted));
            omitted_ = 0;
        }
    }
    if (waiting.empty()) return {};
    return sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
        for (const auto& [platform, activity] : waiting) {
            auto root = transaction.get(storage::platform_path(platform.number));
            if (!root) return sdk::Result<void>(root.error());
            // It was removed, and its audit log with it.
            if (!*root) continue;
            if (auto written = write(transaction, platform, activity); !written) return written;
        }
        return sdk::Result<void>();
    });
}

void AuditLog::trim_all() {
    auto platforms = platforms_();
    if (!platforms) return log_failure("trimming the audit log", platforms.error());
    for (const sdk::PlatformScope& platform : *platforms) {
        auto trimmed = trim(platform.number, sdk::now_ms());
        if (!trimmed) log_failure("trimming the audit log", trimmed.error());
    }
}

sdk::Result<void> AuditLog::trim(std::uint64_t platform, std::int64_t now_ms) {
    if (options_.retention.count() == 0) return {};
    auto collection = documents_.find_collection(*engine_.snapshot(), platform, kActivityType, {});
    if (!collection) return collection.error();
    if (!*collection) return {};
    storage::Sequence last;
    bool has_more = true;
    while (has_more && !thread_.is_stopping()) {
        auto stepped = trim_step(**collection, now_ms - options_.retention.count(), last);
        if (!stepped) return stepped.error();
        has_more = *stepped;
    }
    return {};
}

/// Removes what is too old among the records next behind `last`; true while there may be more.
sdk::Result<bool> AuditLog::trim_step(storage::CollectionId collection, std::int64_t oldest_ms,
                                      storage::Sequence& last) {
    // Looked for outside of the transaction, so that what is added meanwhile is no conflict.
    auto found = documents_.first_records(*engine_.snapshot(), collection, kTrimStep, last);
    if (!found) return found.error();
    std::erase_if(*found, [oldest_ms](const storage::Record& record) {
        return made_at_ms(record) >= oldest_ms;
    });
    if (found->empty()) return false;
    last = found->back().sequence;
    auto removed = sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
        for (const storage::Record& old : *found) {
            // Another server may have removed it.
            storage::Record record;
            auto present = documents_.read(transaction, old.key(), record);
            if (!present) return sdk::Result<void>(present.error());
            if (!*present) continue;
            auto erased = documents_.erase(transaction, rules_, record);
            if (!erased) return erased;
        }
        return sdk::Result<void>();
    });
    if (!removed) return removed.error();
    return found->size() == kTrimStep;
}

}  // namespace stele::kernel::audit
