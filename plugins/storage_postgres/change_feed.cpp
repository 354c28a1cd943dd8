#include "change_feed.hpp"

#include <algorithm>

#include <stele/sdk/log.hpp>
#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::storage_postgres {

namespace {

using sdk::optimistic::VersionPin;

constexpr std::size_t kSizeBytes = 4;
/// So many ask at the same time; more would only wait for one another elsewhere.
constexpr int kMaxAsking = 4;
/// Versions between a view and the present one.
constexpr std::uint64_t kMostBehind = 64;
/// Looks at the log overlap: one that was sent earlier may be answered later.
constexpr std::size_t kBatches = 1024;
/// A commit of more keys puts nothing into the cache that was not there, or it would drive out what
/// is read.
constexpr std::size_t kFewKeys = 512;

}  // namespace

std::string encode_keys(const std::vector<std::string_view>& keys) {
    std::string bytes;
    std::size_t size = 0;
    for (const std::string_view key : keys)
        size += kSizeBytes + key.size();
    bytes.reserve(size);
    for (const std::string_view key : keys) {
        for (std::size_t i = kSizeBytes; i-- > 0;)
            bytes.push_back(static_cast<char>(key.size() >> (8 * i)));
        bytes.append(key);
    }
    return bytes;
}

std::vector<std::string_view> decode_keys(std::string_view bytes) {
    std::vector<std::string_view> keys;
    while (bytes.size() >= kSizeBytes) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < kSizeBytes; ++i)
            size = size << 8 | static_cast<unsigned char>(bytes[i]);
        bytes.remove_prefix(kSizeBytes);
        keys.push_back(bytes.substr(0, size));
        bytes.remove_prefix(std::min(size, bytes.size()));
    }
    return keys;
}

ChangeFeed::ChangeFeed(Pool& pool, EntryCache& cache) : pool_(pool), cache_(cache) {
    publish(0);
}

void ChangeFeed::begin_at(std::uint64_t version) {
    const std::lock_guard lock(applying_);
    history_.forget_up_to(version);
    publish(version);
}

sdk::Result<View> ChangeFeed::present() {
    {
        std::unique_lock lock(turn_);
        const std::uint64_t ticket = ++asked_;
        const Deadline deadline = pool_.deadline();
        while (served_ < ticket) {
            if (asking_ == kMaxAsking) {
                // Whoever asks gives up by itself; the time is a net below that.
                if (turned_.wait_until(lock, deadline + pool_.options().wait) ==
                    std::cv_status::timeout) {
                    return unreachable("the present version is not known in time");
                }
                continue;
            }
            ++asking_;
            const std::uint64_t up_to = asked_;
            lock.unlock();
            const auto caught_up = catch_up();
            lock.lock();
            const bool has_waiters = asking_-- == kMaxAsking;
            if (caught_up) served_ = std::max(served_, up_to);
            if (has_waiters) turned_.notify_all();
            if (!caught_up) return caught_up.error();
        }
    }
    const std::lock_guard lock(presenting_);
    return present_;
}

std::uint64_t ChangeFeed::asked() {
    const std::lock_guard lock(turn_);
    return asked_;
}

sdk::Result<void> ChangeFeed::catch_up() {
    while (true) {
        const std::uint64_t known = version();
        auto rows = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
            return connection.run(
                Statement::read_log,
                Parameters().integer(static_cast<std::int64_t>(known)).integer(kLogPage), deadline);
        });
        if (!rows) return rows.error();
        if (auto applied = apply_log(*rows, known); !applied) return applied;
        if (rows->size() < kLogPage) return {};
    }
}

sdk::Result<void> ChangeFeed::status() const {
    if (!has_other_past_) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "storage_postgres.past_changed",
                           "The database lacks commits that were acknowledged; the server must be "
                           "started anew.");
}

ChangeFeed::Latest ChangeFeed::latest() {
    const std::lock_guard lock(applying_);
    const bool is_known = !batches_.empty() && batches_.back().first == version();
    return {version(), is_known ? batches_.back().second : std::string()};
}

/// Whether the store still holds what this process knows of it.
bool ChangeFeed::has_known_past(const Rows& rows, std::uint64_t known) const {
    if (rows.number(0, 0) < known) return false;
    const bool has_row = !rows.is_null(0, 1) && rows.number(0, 1) == known;
    const auto batch = std::find_if(batches_.begin(), batches_.end(),
                                    [known](const auto& one) { return one.first == known; });
    return !has_row || batch == batches_.end() || batch->second == rows.bytes(0, 2);
}

sdk::Result<void> ChangeFeed::apply_log(const Rows& rows, std::uint64_t known) {
    if (rows.size() == 0) {
        return sdk::make_error(sdk::ErrorKind::internal, "storage_postgres.store_damaged",
                               "The store is damaged.", "stele_state is empty");
    }
    const std::lock_guard lock(applying_);
    if (!has_known_past(rows, known)) {
        has_other_past_ = true;
        sdk::log(sdk::LogLevel::error, "storage_postgres",
                 "the database lacks commits that this server has seen; start the server anew");
        tell_everything();
    }
    if (auto sound = status(); !sound) return sound;
    const std::uint64_t reached = rows.number(0, 0);
    std::uint64_t next = version() + 1;
    const std::uint64_t before = next;
    // Every version has a row, until it is trimmed away.
    bool has_gap = false;
    for (int row = 0; row < rows.size() && !rows.is_null(row, 1); ++row) {
        const std::uint64_t version = rows.number(row, 1);
        if (version < next) continue;
        has_gap = version > next;
        if (has_gap) break;
        take_in(version, rows.bytes(row, 2), decode_keys(rows.bytes(row, 3)));
        ++next;
    }
    if (next != before) publish(next - 1);
    const bool is_all = rows.size() < kLogPage;
    if (has_gap || (is_all && reached > version())) lose_track(reached);
    return {};
}

void ChangeFeed::announce(std::string_view batch, const Batch* writes) {
    const std::lock_guard lock(applying_);
    announced_batch_ = batch;
    announced_writes_ = writes;
}

void ChangeFeed::apply(std::uint64_t version) {
    const std::lock_guard lock(applying_);
    // Another thread may have found the commit in the log already.
    if (version != this->version() + 1) return;
    take_in(version, announced_batch_, announced_writes_->keys());
    publish(version);
}

/// Whether nobody has written there since. Far behind, looking for it costs more than it saves.
bool ChangeFeed::may_remember(const sdk::optimistic::ReadSet& read, std::uint64_t seen_at) {
    const std::uint64_t behind = version() - seen_at;
    return behind == 0 || (behind <= kMostBehind && !history_.has_conflict(read, seen_at));
}

void ChangeFeed::remember(sdk::KeyRange range, std::vector<Entry> entries, const View& view) {
    sdk::optimistic::ReadSet read;
    read.range(read.add_range()) = {range.begin, range.end, false};
    const std::lock_guard lock(applying_);
    if (!may_remember(read, view->version)) return;
    cache_.keep(std::move(range), std::move(entries), view->version);
}

void ChangeFeed::remember(std::string_view key, std::optional<std::string_view> value,
                          const View& view) {
    sdk::optimistic::ReadSet read;
    read.add_key(sdk::optimistic::hash_key(key));
    const std::lock_guard lock(applying_);
    if (!may_remember(read, view->version)) return;
    cache_.keep(key, value, view->version);
}

bool ChangeFeed::has_conflict(const sdk::optimistic::ReadSet& reads, const View& view) {
    const std::lock_guard lock(applying_);
    return history_.has_conflict(reads, view->version);
}

void ChangeFeed::observe(std::string prefix, sdk::CommitObserver observer) {
    const std::lock_guard lock(applying_);
    observers_.push_back({std::move(prefix), std::move(observer)});
}

std::uint64_t ChangeFeed::oldest_view() {
    const std::lock_guard lock(presenting_);
    // The last one is alive: it is the present one.
    while (pins_.front().second.expired())
        pins_.pop_front();
    return pins_.front().first;
}

void ChangeFeed::take_in(std::uint64_t version, std::string_view batch,
                         const std::vector<std::string_view>& keys) {
    history_.begin_batch(version);
    for (const std::string_view key : keys)
        history_.add(key, sdk::optimistic::hash_key(key));
    batches_.emplace_back(version, batch);
    if (batches_.size() > kBatches) batches_.pop_front();
    const bool is_own = announced_writes_ != nullptr && batch == announced_batch_;
    write_cache(version, keys, is_own ? announced_writes_ : nullptr);
    call_observers(keys);
}

/// Of others' commits the log has the keys alone.
void ChangeFeed::write_cache(std::uint64_t version, const std::vector<std::string_view>& keys,
                             const Batch* writes) {
    const bool is_small = keys.size() <= kFewKeys;
    for (const std::string_view key : keys) {
        if (writes == nullptr) {
            cache_.forget(key);
        } else if (const auto value = writes->value(key)) {
            cache_.put(key, *value, version, is_small);
        } else {
            cache_.remove(key, version);
        }
    }
}

void ChangeFeed::lose_track(std::uint64_t version) {
    sdk::log(sdk::LogLevel::warning, "storage_postgres",
             "the change log does not reach back far enough; everything cached is forgotten");
    history_.forget_up_to(version);
    cache_.forget_everything();
    tell_everything();
    publish(version);
}

void ChangeFeed::tell_everything() {
    const std::vector<std::string_view> none;
    for (const Observer& observer : observers_)
        observer.call({.keys = none, .is_everything = true});
}

void ChangeFeed::publish(std::uint64_t version) {
    const auto pin = std::make_shared<const VersionPin>(VersionPin{version});
    {
        const std::lock_guard lock(presenting_);
        present_ = pin;
        known_version_ = version;
        while (!pins_.empty() && pins_.front().second.expired())
            pins_.pop_front();
        pins_.emplace_back(version, pin);
    }
    history_.published(pin);
}

void ChangeFeed::call_observers(const std::vector<std::string_view>& keys) {
    for (const Observer& observer : observers_) {
        observed_keys_.clear();
        std::copy_if(keys.begin(), keys.end(), std::back_inserter(observed_keys_),
                     [&](std::string_view key) { return key.starts_with(observer.prefix); });
        if (!observed_keys_.empty()) observer.call({.keys = observed_keys_});
    }
}

}  // namespace stele::storage_postgres
