#include "kernel/resource/upkeep/usage_counter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/audit/activity.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

namespace {

/// Kinds of figures of a month.
constexpr char kSentBytes = 's';
constexpr char kReplies = 'r';
constexpr char kStoredBytes = 'b';
constexpr char kStoredObjects = 'o';
/// Not a figure: which of the month's periods the figures are of.
constexpr char kPeriod = 'p';
/// Neither: which of a server's batches has been written.
constexpr char kBatch = 'w';

/// A month of a platform, or the part of it since a period was closed.
struct Period {
    std::uint64_t platform = 0;
    std::chrono::year_month month;
    std::uint64_t number = 0;
    std::int64_t begin_ms = 0;

    /// Figures of the first period are keyed as if there were no others.
    std::string key(char kind) const {
        sdk::KeyWriter writer = month_key(platform, month, kind);
        if (number > 0) writer.integer(number);
        return std::move(writer).key();
    }
    static sdk::KeyWriter month_key(std::uint64_t platform, std::chrono::year_month month,
                                    char kind) {
        const auto months = static_cast<std::uint64_t>(static_cast<int>(month.year())) * 12 +
                            static_cast<unsigned>(month.month()) - 1;
        sdk::KeyWriter writer(storage::plugin_space(platform, "kernel.usage"));
        writer.integer(months).tag(kind);
        return writer;
    }
};

/// Of a server's last batch; its number and when it was written. Lies before all months.
sdk::KeyWriter marks(std::uint64_t platform) {
    sdk::KeyWriter writer(storage::plugin_space(platform, "kernel.usage"));
    writer.integer(0).tag(kBatch);
    return writer;
}

std::string mark_key(std::uint64_t platform, std::string_view server) {
    return marks(platform).text(server).key();
}

/// Those of servers that have ended or write no more; nothing they hold can be unsettled so long.
sdk::Result<void> forget_marks(sdk::Transaction& transaction, std::uint64_t platform,
                               std::string_view own_server, std::int64_t now) {
    constexpr std::int64_t kKeptMs = 86'400'000;
    const std::string own = mark_key(platform, own_server);
    const std::string begin = marks(platform).key();
    std::vector<std::string> old;
    const auto cursor =
        transaction.scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        sdk::KeyReader row(cursor->value());
        const auto number = row.integer();
        const auto written = row.integer();
        const bool is_kept =
            number && written && static_cast<std::int64_t>(*written) > now - kKeptMs;
        if (!is_kept && cursor->key() != own) old.emplace_back(cursor->key());
    }
    for (const std::string& key : old)
        transaction.remove(key);
    return cursor->status();
}

sdk::Result<Period> present_period(const sdk::Reader& reader, std::uint64_t platform,
                                   std::chrono::year_month month) {
    Period period{platform, month};
    auto bytes = reader.get(Period::month_key(platform, month, kPeriod).key());
    if (!bytes) return bytes.error();
    if (!*bytes) return period;
    sdk::KeyReader row(**bytes);
    const auto number = row.integer();
    const auto begin = row.integer();
    if (!number || !begin) {
        return sdk::make_error(sdk::ErrorKind::internal, "usage.row_broken",
                               "what is kept about a billing period cannot be read");
    }
    period.number = *number;
    period.begin_ms = static_cast<std::int64_t>(*begin);
    return period;
}

sdk::Result<sdk::DataStoreSize> read_figures(const sdk::Reader& reader, const Period& period,
                                             char bytes_kind, char objects_kind) {
    auto bytes = reader.get(period.key(bytes_kind));
    auto objects = reader.get(period.key(objects_kind));
    if (!bytes) return bytes.error();
    if (!objects) return objects.error();
    return sdk::DataStoreSize{sdk::read_counter(*objects), sdk::read_counter(*bytes)};
}

void add_size(sdk::DataStoreSize& to, const sdk::DataStoreSize& more) {
    to.objects += more.objects;
    to.bytes += more.bytes;
}

void log_failure(const sdk::Result<void>& done, const char* doing) {
    if (done) return;
    sdk::log(sdk::LogLevel::warning, "resource",
             std::string(doing) + " failed and is tried again: " + done.error().code + ": " +
                 done.error().message);
}

}  // namespace

UsageCounter::~UsageCounter() {
    stop();
}

SentLane& UsageCounter::add_lane() {
    const std::lock_guard lock(mutex_);
    return *lanes_.emplace_back(std::make_unique<SentLane>());
}

void UsageCounter::gather() {
    for (const auto& lane : lanes_)
        lane->take(unwritten_);
}

SentLane::Sizes UsageCounter::take() {
    const std::lock_guard lock(mutex_);
    gather();
    return std::exchange(unwritten_, {});
}

void UsageCounter::put_back(std::uint64_t platform, const sdk::DataStoreSize& sent) {
    const std::lock_guard lock(mutex_);
    add_size(unwritten_[platform], sent);
}

sdk::Result<sdk::MonthlyUsage> UsageCounter::read(sdk::Context& context,
                                                  const sdk::PlatformScope& platform,
                                                  std::chrono::year_month month) {
    const sdk::Transaction& transaction = context.transaction();
    auto period = present_period(transaction, platform.number, month);
    if (!period) return period.error();
    auto stored = read_figures(transaction, *period, kStoredBytes, kStoredObjects);
    auto sent = read_figures(transaction, *period, kSentBytes, kReplies);
    if (!stored) return stored.error();
    if (!sent) return sent.error();
    sdk::MonthlyUsage usage{*stored, *sent, {}, period->number, period->begin_ms};
    if (month != sdk::month_of(sdk::now_ms())) return usage;
    const std::lock_guard lock(mutex_);
    gather();
    const auto found = unwritten_.find(platform.number);
    if (found != unwritten_.end()) usage.unprocessed = found->second;
    return usage;
}

sdk::Result<void> UsageCounter::close(sdk::Context& context, const sdk::PlatformScope& platform,
                                      std::int64_t now_ms) {
    sdk::Transaction& transaction = context.transaction();
    const std::chrono::year_month month = sdk::month_of(now_ms);
    auto period = present_period(transaction, platform.number, month);
    if (!period) return period.error();
    // Whoever writes figures reads this row, and so finds the period in which they count.
    transaction.put(Period::month_key(platform.number, month, kPeriod).key(),
                    sdk::KeyWriter()
                        .integer(period->number + 1)
                        .integer(static_cast<std::uint64_t>(now_ms))
                        .key());
    return {};
}

void UsageCounter::tell(const sdk::PlatformScope& platform, std::chrono::year_month month) const {
    for (const Written& written : written_) {
        auto told = plugin::guarded<void>("kernel", "usage", [&]() -> sdk::Result<void> {
            written(platform, month);
            return {};
        });
        // The escaped exception is logged and counted; the figures stand.
        (void)told;
    }
}

sdk::Result<void> UsageCounter::store_batch(sdk::Transaction& transaction, std::uint64_t platform,
                                            const Batch& batch) const {
    auto is_there = services_.platforms.holds(transaction, platform);
    if (!is_there) return is_there.error();
    if (!*is_there) return {};
    const std::string mark = mark_key(platform, name_);
    auto last = transaction.get(mark);
    if (!last) return last.error();
    if (*last && sdk::KeyReader(**last).integer() == batch.number) return {};
    transaction.put(mark, sdk::KeyWriter()
                              .integer(batch.number)
                              .integer(static_cast<std::uint64_t>(sdk::now_ms()))
                              .key());
    auto period = present_period(transaction, platform, batch.month);
    if (!period) return period.error();
    transaction.add(period->key(kSentBytes), batch.sent.bytes);
    transaction.add(period->key(kReplies), batch.sent.objects);
    return {};
}

sdk::Result<void> UsageCounter::write_batch(std::uint64_t number, const Batch& batch) {
    auto platform = services_.platforms.find(number);
    // It was removed: nobody asks for its figures any more.
    if (!platform && sdk::is_missing(platform.error())) return {};
    const auto written =
        platform ? sdk::write_with_retry(*services_.engine,
                                         [&](sdk::Transaction& transaction) {
                                             return store_batch(transaction, number, batch);
                                         })
                 : sdk::Result<void>(platform.error());
    if (written) {
        tell(*platform, batch.month);
    } else {
        unsettled_[number] = batch;
    }
    return written;
}

sdk::Result<void> UsageCounter::write() {
    sdk::Result<void> outcome;
    std::map<std::uint64_t, Batch> again;
    again.swap(unsettled_);
    for (const auto& [platform, batch] : again) {
        if (auto written = write_batch(platform, batch); !written) outcome = written;
    }
    const std::chrono::year_month month = sdk::month_of(sdk::now_ms());
    for (const auto& [platform, sent] : take()) {
        if (unsettled_.contains(platform)) {
            put_back(platform, sent);
            continue;
        }
        auto written = write_batch(platform, {++last_batch_, month, sent});
        if (!written) outcome = written;
    }
    return outcome;
}

sdk::Result<sdk::DataStoreSize> UsageCounter::stored_by(const sdk::PlatformScope& platform) const {
    const auto reader = services_.engine->snapshot();
    sdk::DataStoreSize stored;
    for (const RegisteredResource& resource : services_.registry.resources()) {
        if (resource.container || resource.descriptor.type == kPlatformType) continue;
        // The audit log is kept for the operator, who decides how long.
        if (resource.descriptor.type == audit::kActivityType) continue;
        auto place = services_.records.collection(*reader, platform, resource);
        if (!place) return place.error();
        if (!place->id) continue;
        auto own = services_.documents.measure(*reader, *place->id);
        if (!own) return own.error();
        add_size(stored,
                 {static_cast<std::int64_t>(own->records), static_cast<std::int64_t>(own->bytes)});
        if (!resource.descriptor.capabilities.data_store) continue;
        auto stores = services_.documents.first_records(*reader, *place->id, SIZE_MAX);
        if (!stores) return stores.error();
        for (const storage::Record& store : *stores) {
            auto size = read_store_size(*reader, store.key());
            if (!size) return size.error();
            add_size(stored, *size);
        }
    }
    return stored;
}

sdk::Result<void> UsageCounter::write_stored(const sdk::PlatformScope& platform,
                                             const sdk::DataStoreSize& stored,
                                             std::chrono::year_month month) {
    return sdk::write_with_retry(
        *services_.engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            auto is_there = services_.platforms.holds(transaction, platform.number);
            if (!is_there) return is_there.error();
            if (!*is_there) return {};
            auto period = present_period(transaction, platform.number, month);
            if (!period) return period.error();
            auto most = read_figures(transaction, *period, kStoredBytes, kStoredObjects);
            if (!most) return most.error();
            if (stored.bytes > most->bytes) {
                transaction.put(period->key(kStoredBytes), sdk::counter_bytes(stored.bytes));
            }
            if (stored.objects > most->objects) {
                transaction.put(period->key(kStoredObjects), sdk::counter_bytes(stored.objects));
            }
            return forget_marks(transaction, platform.number, name_, sdk::now_ms());
        });
}

sdk::Result<void> UsageCounter::look(const GoesOn& goes_on) {
    auto platforms = services_.platforms.all_open();
    if (!platforms) return platforms.error();
    const std::chrono::year_month month = sdk::month_of(sdk::now_ms());
    sdk::Result<void> outcome;
    for (const sdk::PlatformScope& platform : *platforms) {
        if (!goes_on()) break;
        auto stored = stored_by(platform);
        auto written =
            stored ? write_stored(platform, *stored, month) : sdk::Result<void>(stored.error());
        if (written) {
            tell(platform, month);
        } else {
            outcome = written;
        }
    }
    return outcome;
}

void UsageCounter::start(Intervals intervals) {
    thread_.start([this, intervals] { run(intervals); });
}

void UsageCounter::stop() {
    if (thread_.stop()) log_failure(write(), "writing down what was sent");
}

void UsageCounter::run(Intervals intervals) {
    using Clock = std::chrono::steady_clock;
    auto next_write = Clock::now();
    auto next_look = Clock::now();
    // Looking at many platforms takes longer than what was sent may wait.
    const GoesOn goes_on = [&] {
        if (thread_.is_stopping()) return false;
        if (Clock::now() >= next_write) {
            log_failure(write(), "writing down what was sent");
            next_write = Clock::now() + intervals.write;
        }
        return true;
    };
    while (goes_on()) {
        if (Clock::now() >= next_look) {
            log_failure(look(goes_on), "measuring what is stored");
            next_look = Clock::now() + intervals.look;
        }
        const auto left = std::min(next_write, next_look) - Clock::now();
        thread_.rest(std::chrono::ceil<std::chrono::milliseconds>(left));
    }
}

}  // namespace stele::kernel::resource
