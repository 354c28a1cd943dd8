#include "session_cache.hpp"

#include <algorithm>
#include <cstring>

#include <stele/sdk/time.hpp>

namespace stele::identity {

SessionCache::SessionCache(std::size_t capacity)
    : capacity_per_shard_(std::max<std::size_t>(capacity / kShards, 1)) {}

std::size_t SessionCache::Hash::operator()(std::string_view digest) const {
    // A digest is spread evenly already.
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), std::min(digest.size(), sizeof(hash)));
    return hash;
}

std::size_t SessionCache::shard_of(std::string_view digest) {
    return digest.empty() ? 0 : static_cast<unsigned char>(digest.back()) % kShards;
}

sdk::SessionPtr SessionCache::find(std::string_view digest) const {
    const Shard& shard = shards_[shard_of(digest)];
    const std::shared_lock lock(shard.mutex);
    const auto entry = shard.entries.find(digest);
    return entry == shard.entries.end() ? nullptr : entry->second.session;
}

SessionCache::Load SessionCache::begin_load(std::string_view digest) const {
    return {voided_subjects_.load(), shards_[shard_of(digest)].voided.load()};
}

void SessionCache::insert(const Load& load, std::string_view digest, Entry entry) {
    Shard& shard = shards_[shard_of(digest)];
    const std::lock_guard writing(writing_);
    const std::unique_lock lock(shard.mutex);
    if (voided_subjects_.load() != load.subjects || shard.voided.load() != load.tokens) return;
    if (const auto old = shard.entries.find(digest); old != shard.entries.end()) erase(shard, old);
    if (shard.entries.size() >= capacity_per_shard_) make_room(shard);
    for (const sdk::RecordKey& subject : entry.subjects) {
        digests_of_[subject].emplace(digest);
    }
    shard.entries.emplace(std::string(digest), std::move(entry));
}

void SessionCache::make_room(Shard& shard) {
    const std::int64_t now = sdk::now_ms();
    for (auto entry = shard.entries.begin(); entry != shard.entries.end();) {
        const auto next = std::next(entry);
        if (entry->second.session->expires_at_ms <= now) erase(shard, entry);
        entry = next;
    }
    // Digests are random, so the first one is any one.
    if (shard.entries.size() >= capacity_per_shard_) erase(shard, shard.entries.begin());
}

void SessionCache::erase(Shard& shard, Entries::iterator entry) {
    for (const sdk::RecordKey& subject : entry->second.subjects) {
        drop_subject(subject, entry->first);
    }
    shard.entries.erase(entry);
}

void SessionCache::drop_subject(const sdk::RecordKey& subject, std::string_view digest) {
    const auto digests = digests_of_.find(subject);
    if (digests == digests_of_.end()) return;
    digests->second.erase(std::string(digest));
    if (digests->second.empty()) digests_of_.erase(digests);
}

void SessionCache::forget_token(std::string_view digest) {
    Shard& shard = shards_[shard_of(digest)];
    const std::lock_guard writing(writing_);
    const std::unique_lock lock(shard.mutex);
    ++shard.voided;
    if (const auto entry = shard.entries.find(digest); entry != shard.entries.end()) {
        erase(shard, entry);
    }
}

void SessionCache::forget_subject(std::string_view record_key) {
    const std::lock_guard writing(writing_);
    ++voided_subjects_;
    const auto digests = digests_of_.find(sdk::RecordKey(record_key));
    if (digests == digests_of_.end()) return;
    const Digests gone = digests->second;
    for (const std::string& digest : gone) {
        Shard& shard = shards_[shard_of(digest)];
        const std::unique_lock lock(shard.mutex);
        const auto entry = shard.entries.find(digest);
        if (entry != shard.entries.end()) erase(shard, entry);
    }
}

void SessionCache::forget_everything() {
    const std::lock_guard writing(writing_);
    ++voided_subjects_;
    digests_of_.clear();
    for (Shard& shard : shards_) {
        const std::unique_lock lock(shard.mutex);
        shard.entries.clear();
    }
}

std::size_t SessionCache::size() const {
    std::size_t size = 0;
    for (const Shard& shard : shards_) {
        const std::shared_lock lock(shard.mutex);
        size += shard.entries.size();
    }
    return size;
}

}  // namespace stele::identity
