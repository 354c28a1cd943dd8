#include "change_feed.hpp"

#include <algorithm>

#include <stele/sdk/log.hpp>
#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::storage_postgres {

namespace {

using sdk::optimistic::VersionPin;

constexpr std::size_t kSizeBytes = 4;

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

ChangeFeed::ChangeFeed(Pool& pool) : pool_(pool) {
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
            if (is_asking_) {
                // Whoever asks gives up by itself; the time is a net below that.
                if (turned_.wait_until(lock, deadline + pool_.options().wait) ==
                    std::cv_status::timeout) {
                    return unreachable("the present version is not known in time");
                }
                continue;
            }
            is_asking_ = true;
            const std::uint64_t up_to = asked_;
            lock.unlock();
            const auto caught_up = catch_up();
            lock.lock();
            is_asking_ = false;
            if (caught_up) served_ = std::max(served_, up_to);
            turned_.notify_all();
            if (!caught_up) return caught_up.error();
        }
    }
    const std::lock_guard lock(presenting_);
    return present_;
}

sdk::Result<void> ChangeFeed::catch_up() {
    while (true) {
        const std::uint64_t known = version();
        auto rows = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
            return connection.run(Statement::read_log,
                                  Parameters()
                                      .integer(static_cast<std::int64_t>(known))
                                      .integer(kLogPage),
                                  deadline);
        });
        if (!rows) return rows.error();
        if (rows->size() == 0) {
            return sdk::make_error(sdk::ErrorKind::internal, "storage_postgres.store_damaged",
                                   "The store is damaged.", "stele_state is empty");
        }
        apply_log(*rows, known);
        if (rows->size() < kLogPage) return {};
    }
}

void ChangeFeed::apply_log(const Rows& rows, std::uint64_t known) {
    const std::lock_guard lock(applying_);
    const std::uint64_t reached = rows.number(0, 0);
    if (reached < known) return lose_track(reached);
    std::uint64_t next = version() + 1;
    const std::uint64_t before = next;
    for (int row = 0; row < rows.size() && !rows.is_null(row, 1); ++row) {
        const std::uint64_t version = rows.number(row, 1);
        if (version < next) continue;
        if (version > next) return lose_track(reached);
        take_in(version, decode_keys(rows.bytes(row, 2)));
        ++next;
    }
    if (next != before) publish(next - 1);
    // Every version has a row, until it is trimmed away.
    if (reached > version() && rows.size() < kLogPage) lose_track(reached);
}

void ChangeFeed::apply(std::uint64_t version, const std::vector<std::string_view>& keys) {
    const std::lock_guard lock(applying_);
    // Another thread may have found the commit in the log already.
    if (version != this->version() + 1) return;
    take_in(version, keys);
    publish(version);
}

bool ChangeFeed::has_conflict(const sdk::optimistic::ReadSet& reads, const View& view) {
    const std::lock_guard lock(applying_);
    const bool has_reads = !reads.keys().empty() || !reads.ranges().empty();
    if (has_reads && !is_of_present_timeline(view)) return true;
    return history_.has_conflict(reads, view.version());
}

void ChangeFeed::observe(std::string prefix, sdk::CommitObserver observer) {
    const std::lock_guard lock(applying_);
    observers_.push_back({std::move(prefix), std::move(observer)});
}

std::uint64_t ChangeFeed::version() const {
    const std::lock_guard lock(presenting_);
    return present_.version();
}

std::uint64_t ChangeFeed::oldest_view() {
    const std::lock_guard lock(presenting_);
    while (!pins_.empty() && pins_.front().second.expired())
        pins_.pop_front();
    return pins_.empty() ? present_.version() : pins_.front().first;
}

void ChangeFeed::take_in(std::uint64_t version, const std::vector<std::string_view>& keys) {
    history_.begin_batch(version);
    for (const std::string_view key : keys)
        history_.add(key, sdk::optimistic::hash_key(key));
    call_observers(keys);
}

void ChangeFeed::lose_track(std::uint64_t version) {
    const bool is_back = version < this->version();
    sdk::log(sdk::LogLevel::warning, "storage_postgres",
             is_back ? "the store went back to a former state; everything cached is forgotten"
                     : "the change log does not reach back far enough; everything cached is "
                       "forgotten");
    history_.forget_up_to(version);
    const std::vector<std::string_view> none;
    for (const Observer& observer : observers_)
        observer.call({.keys = none, .is_everything = true});
    if (is_back) {
        const std::lock_guard lock(presenting_);
        present_.timeline = ++timeline_;
        pins_.clear();
    }
    publish(version);
}

void ChangeFeed::publish(std::uint64_t version) {
    const auto pin = std::make_shared<const VersionPin>(VersionPin{version});
    {
        const std::lock_guard lock(presenting_);
        present_.pin = pin;
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
