#include "sdk/testing/memory_state.hpp"

#include <algorithm>

namespace stele::sdk::testing {

bool is_inside(const KeyRange& range, std::string_view key) {
    return key >= range.begin && (range.end.empty() || key < range.end);
}

MemoryEngine::State::State() : committer_([this] { run(); }) {}

MemoryEngine::State::~State() {
    {
        const std::lock_guard lock(mutex);
        is_ending_ = true;
    }
    changed_.notify_one();
    committer_.join();
}

std::uint64_t MemoryEngine::State::open_snapshot() {
    const std::lock_guard lock(mutex);
    ++begun;
    snapshots_.insert(version_);
    return version_;
}

void MemoryEngine::State::close_snapshot(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    snapshots_.erase(snapshots_.find(number));
}

std::optional<std::string> MemoryEngine::State::get(std::string_view key,
                                                    std::uint64_t snapshot) const {
    const std::lock_guard lock(mutex);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    const Versions& versions = found->second;
    const auto version =
        std::find_if(versions.rbegin(), versions.rend(),
                     [&](const Version& candidate) { return candidate.number <= snapshot; });
    return version == versions.rend() ? std::nullopt : version->value;
}

std::optional<std::string> MemoryEngine::State::first_key(const KeyRange& range,
                                                          ScanDirection direction) const {
    const std::lock_guard lock(mutex);
    auto found =
        direction == ScanDirection::forward || !range.end.empty()
            ? entries_.lower_bound(direction == ScanDirection::forward ? range.begin : range.end)
            : entries_.end();
    if (direction == ScanDirection::backward) {
        if (found == entries_.begin()) return std::nullopt;
        --found;
    } else if (found == entries_.end()) {
        return std::nullopt;
    }
    if (!is_inside(range, found->first)) return std::nullopt;
    return found->first;
}

std::uint64_t MemoryEngine::State::size_of(const KeyRange& range) const {
    const std::lock_guard lock(mutex);
    std::uint64_t size = 0;
    for (auto at = entries_.lower_bound(range.begin);
         at != entries_.end() && is_inside(range, at->first); ++at) {
        const std::optional<std::string>& value = at->second.back().value;
        if (value) size += at->first.size() + value->size();
    }
    return size;
}

void MemoryEngine::State::enqueue(PendingCommit commit) {
    {
        const std::lock_guard lock(mutex);
        queue_.push_back(std::move(commit));
    }
    changed_.notify_one();
}

void MemoryEngine::State::run() {
    std::unique_lock lock(mutex);
    while (true) {
        changed_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
        if (queue_.empty()) return;
        PendingCommit commit = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        Result<void> result = apply(commit);
        commit.done(std::move(result));
        commit.done = nullptr;
        lock.lock();
    }
}

Result<void> MemoryEngine::State::apply(const PendingCommit& commit) {
    if (commit.writes->is_empty()) return {};
    // Held while the observers are told, so that nobody begins to read in between.
    const std::lock_guard lock(mutex);
    if (refusals > 0) {
        --refusals;
        return refusal;
    }
    if (!is_still_valid(commit)) {
        return make_error(ErrorKind::conflict, "engine.conflict",
                          "The data was changed by somebody else at the same time.");
    }
    notify(store(*commit.writes));
    return {};
}

bool MemoryEngine::State::is_still_valid(const PendingCommit& commit) const {
    const auto is_newer = [&](const Versions& versions) {
        return versions.back().number > commit.snapshot;
    };
    for (const std::string& key : commit.reads->keys) {
        const auto found = entries_.find(key);
        if (found != entries_.end() && is_newer(found->second)) return false;
    }
    for (const KeyRange& range : commit.reads->ranges) {
        for (auto at = entries_.lower_bound(range.begin);
             at != entries_.end() && is_inside(range, at->first); ++at) {
            if (is_newer(at->second)) return false;
        }
    }
    return true;
}

std::vector<std::string> MemoryEngine::State::store(const PendingWrites& writes) {
    ++version_;
    std::map<std::string, std::optional<std::string>, std::less<>> results;
    for (const KeyRange& range : writes.removed_ranges) {
        for (auto at = entries_.lower_bound(range.begin);
             at != entries_.end() && is_inside(range, at->first); ++at) {
            if (at->second.back().value) results[at->first] = std::nullopt;
        }
    }
    for (const auto& [key, value] : writes.writes)
        results[key] = value;
    for (const auto& [key, delta] : writes.additions) {
        results[key] = counter_bytes(read_counter(latest(key)) + delta);
    }
    std::vector<std::string> changed;
    for (auto& [key, value] : results) {
        set(key, std::move(value));
        changed.push_back(key);
    }
    forget_removed();
    return changed;
}

// Else whoever makes and removes much walks over more and more of what is gone.
void MemoryEngine::State::forget_removed() {
    for (; !removed_.empty() && removed_.front().first <= oldest(); removed_.pop_front()) {
        const auto found = entries_.find(removed_.front().second);
        if (found == entries_.end()) continue;
        const Version& latest = found->second.back();
        if (!latest.value && latest.number <= oldest()) entries_.erase(found);
    }
}

void MemoryEngine::State::set(const std::string& key, std::optional<std::string> value) {
    if (!value) removed_.emplace_back(version_, key);
    Versions& versions = entries_[key];
    versions.push_back({version_, std::move(value)});
    // No snapshot looks behind the version that was the latest when the oldest one was made.
    const auto keep = std::find_if(versions.rbegin(), versions.rend(), [&](const Version& version) {
        return version.number <= oldest();
    });
    if (keep != versions.rend()) versions.erase(versions.begin(), std::prev(keep.base()));
}

std::optional<std::string> MemoryEngine::State::latest(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? std::nullopt : found->second.back().value;
}

void MemoryEngine::State::notify(const std::vector<std::string>& changed) const {
    for (const auto& [prefix, observer] : observers) {
        std::vector<std::string_view> keys;
        for (const std::string& key : changed) {
            if (key.starts_with(prefix)) keys.push_back(key);
        }
        if (!keys.empty()) observer({.keys = keys});
    }
}

}  // namespace stele::sdk::testing
