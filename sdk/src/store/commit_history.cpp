#include <stele/sdk/optimistic/commit_history.hpp>

#include <algorithm>

namespace stele::sdk::optimistic {

void CommitHistory::begin_batch(std::uint64_t version) {
    if (!batches_.empty()) {
        memory_ += batches_.back().memory();
        grown_ += batches_.back().memory();
    }
    batches_.emplace_back().version = version;
    while (memory_ > most_bytes_ && batches_.size() > 1)
        forget_oldest();
}

bool CommitHistory::has_conflict(const ReadSet& reads, std::uint64_t version) {
    if (reads.keys().empty() && reads.ranges().empty()) return false;
    if (version < forgotten_) return true;
    for (const std::uint64_t hash : reads.keys()) {
        const auto found = written_.find(hash);
        if (found != written_.end() && found->second > version) return true;
    }
    for (auto batch = batches_.rbegin(); batch != batches_.rend(); ++batch) {
        if (batch->version <= version) break;
        if (batch->writes_inside(reads)) return true;
    }
    return false;
}

void CommitHistory::add(std::string_view key, std::uint64_t hash) {
    Batch& batch = batches_.back();
    batch.spans.push_back({batch.bytes.size(), key.size(), hash});
    batch.bytes.append(key);
    written_[hash] = batch.version;
}

bool CommitHistory::is_written_in_batch(std::uint64_t hash) const {
    const auto found = written_.find(hash);
    return found != written_.end() && found->second == batches_.back().version;
}

void CommitHistory::batch_keys(std::vector<std::string_view>& keys) const {
    keys.clear();
    for (const Batch::Span& span : batches_.back().spans)
        keys.push_back(batches_.back().key(span));
}

void CommitHistory::published(const std::shared_ptr<const VersionPin>& pin) {
    pins_.push_back({pin->version, pin});
    // Those that are too old to be checked need no history either. The last one is alive.
    while (pins_.front().pin.expired() || pins_.front().version < forgotten_)
        pins_.pop_front();
    const std::uint64_t oldest = pins_.front().version;
    while (batches_.size() > 1 && batches_.front().version <= oldest)
        forget_oldest();
}

void CommitHistory::forget_up_to(std::uint64_t version) {
    batches_.clear();
    written_.clear();
    memory_ = 0;
    forgotten_ = version;
}

void CommitHistory::forget_oldest() {
    Batch& batch = batches_.front();
    for (const Batch::Span& span : batch.spans) {
        const auto found = written_.find(span.hash);
        if (found != written_.end() && found->second == batch.version) written_.erase(found);
    }
    memory_ -= batch.memory();
    forgotten_ = batch.version;
    batches_.pop_front();
}

bool CommitHistory::Batch::writes_inside(const ReadSet& reads) {
    // Of both, the fewer are looked up among the others.
    if (reads.are_ranges_joined() && spans.size() < reads.ranges().size()) {
        return std::any_of(spans.begin(), spans.end(),
                           [&](const Span& span) { return reads.has_range_with(key(span)); });
    }
    return std::any_of(reads.ranges().begin(), reads.ranges().end(),
                       [&](const auto& range) { return !range.is_empty && writes_inside(range); });
}

bool CommitHistory::Batch::writes_inside(const ReadSet::Range& range) {
    if (spans.size() - sorted > kMaxUnsorted) sort();
    const auto end_of_sorted = spans.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto at = std::lower_bound(
        spans.begin(), end_of_sorted, std::string_view(range.begin),
        [this](const Span& span, std::string_view begin) { return key(span) < begin; });
    if (at != end_of_sorted && (range.end.empty() || key(*at) < range.end)) return true;
    return std::any_of(end_of_sorted, spans.end(), [&](const Span& span) {
        return is_inside(key(span), range.begin, range.end);
    });
}

void CommitHistory::Batch::sort() {
    const auto by_key = [this](const Span& a, const Span& b) { return key(a) < key(b); };
    const auto middle = spans.begin() + static_cast<std::ptrdiff_t>(sorted);
    std::sort(middle, spans.end(), by_key);
    std::inplace_merge(spans.begin(), middle, spans.end(), by_key);
    sorted = spans.size();
}

}  // namespace stele::sdk::optimistic
