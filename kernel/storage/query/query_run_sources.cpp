#include "kernel/storage/query/query_run_sources.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

CandidateSource::~CandidateSource() = default;

ListedCandidate ListedCandidate::of(std::string_view sequence, bool is_exact) {
    ListedCandidate candidate{{}, is_exact};
    sequence.copy(candidate.sequence.data(), kSequenceSize);
    return candidate;
}

namespace {

std::unique_ptr<sdk::Cursor> scan_prefix(const sdk::Reader& reader, const std::string& prefix,
                                         sdk::ScanDirection direction) {
    return reader.scan({prefix, sdk::prefix_end(prefix)}, direction);
}

class RangeSource final : public CandidateSource {
public:
    RangeSource(std::unique_ptr<sdk::Cursor> cursor, bool is_exact, std::uint64_t& visited,
                bool with_values)
        : cursor_(std::move(cursor)),
          is_exact_(is_exact),
          visited_(visited),
          with_values_(with_values) {}

    sdk::Result<bool> next(Candidate& candidate) override {
        if (has_begun_) cursor_->next();
        has_begun_ = true;
        if (!cursor_->is_valid()) {
            if (auto status = cursor_->status(); !status) return status.error();
            return false;
        }
        ++visited_;
        candidate.sequence = sequence_of(cursor_->key());
        candidate.stored = with_values_ ? cursor_->value() : std::string_view();
        candidate.is_exact = is_exact_;
        return true;
    }

private:
    std::unique_ptr<sdk::Cursor> cursor_;
    bool is_exact_;
    std::uint64_t& visited_;
    bool with_values_;
    bool has_begun_ = false;
};

class MergedSource final : public CandidateSource {
public:
    MergedSource(std::vector<std::unique_ptr<sdk::Cursor>> cursors, bool is_exact,
                 std::uint64_t& visited)
        : cursors_(std::move(cursors)), is_exact_(is_exact), visited_(visited) {}

    sdk::Result<bool> next(Candidate& candidate) override {
        if (last_) (*last_)->next();
        last_ = nullptr;
        for (const std::unique_ptr<sdk::Cursor>& cursor : cursors_) {
            if (!cursor->is_valid()) {
                if (auto status = cursor->status(); !status) return status.error();
                continue;
            }
            if (!last_ || sequence_of(cursor->key()) < sequence_of((*last_)->key()))
                last_ = &cursor;
        }
        if (!last_) return false;
        ++visited_;
        candidate = {sequence_of((*last_)->key()), {}, is_exact_};
        return true;
    }

private:
    const std::vector<std::unique_ptr<sdk::Cursor>> cursors_;
    /// That of the candidate that was given last.
    const std::unique_ptr<sdk::Cursor>* last_ = nullptr;
    bool is_exact_;
    std::uint64_t& visited_;
};

class ListSource final : public CandidateSource {
public:
    ListSource(std::vector<ListedCandidate> candidates, std::uint64_t* visited)
        : candidates_(std::move(candidates)), visited_(visited) {
        // An exact one comes before its inexact double, and `unique` keeps the first.
        std::sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
            if (a.sequence != b.sequence) return a.view() < b.view();
            return a.is_exact && !b.is_exact;
        });
        candidates_.erase(
            std::unique(candidates_.begin(), candidates_.end(),
                        [](const auto& a, const auto& b) { return a.sequence == b.sequence; }),
            candidates_.end());
    }

    sdk::Result<bool> next(Candidate& candidate) override {
        if (next_ == candidates_.size()) return false;
        const ListedCandidate& listed = candidates_[next_++];
        if (visited_ != nullptr) ++*visited_;
        candidate = {listed.view(), {}, listed.is_exact};
        return true;
    }

private:
    std::vector<ListedCandidate> candidates_;
    std::uint64_t* visited_;
    std::size_t next_ = 0;
};

/// The entries of one prefix by value in either direction, equal values in creation order.
class ValueStream {
public:
    ValueStream(const sdk::Reader& reader, OrderedEntries entries, bool is_ascending)
        : reader_(reader),
          entries_(std::move(entries)),
          is_ascending_(is_ascending),
          main_(reader.scan(entries_.range, is_ascending ? sdk::ScanDirection::forward
                                                         : sdk::ScanDirection::backward)) {}

    /// Moves to the first or next entry.
    sdk::Result<bool> next() {
        if (is_ascending_) {
            if (has_begun_) main_->next();
            has_begun_ = true;
            return take(*main_);
        }
        if (group_) {
            group_->next();
            if (group_->is_valid()) return take(*group_);
            if (auto status = group_->status(); !status) return status.error();
            group_.reset();
        }
        return next_group();
    }

    /// As it is to be compared.
    std::string_view value() const {
        return entries_.are_numbers_as_texts ? std::string_view(text_) : stored_value();
    }
    std::string_view sequence() const { return sequence_of(key_); }

private:
    sdk::Result<bool> take(const sdk::Cursor& cursor) {
        if (!cursor.is_valid()) {
            if (auto status = cursor.status(); !status) return status.error();
            return false;
        }
        key_.assign(cursor.key());
        if (!entries_.are_numbers_as_texts) return true;
        const auto number = sdk::KeyReader(stored_value()).real();
        text_ = sdk::KeyWriter().text(plain_text(number.value_or(0))).key();
        return true;
    }

    std::string_view stored_value() const {
        const std::size_t prefix = entries_.prefix.size();
        return std::string_view(key_).substr(prefix, key_.size() - prefix - kSequenceSize);
    }

    std::string_view without_sequence(std::string_view key) const {
        return key.substr(0, key.size() - kSequenceSize);
    }

    /// Backwards the last of several equal values is met first; they are then read forwards.
    sdk::Result<bool> next_group() {
        const auto found = take(*main_);
        if (!found || !*found) return found;
        main_->next();
        const std::string group(without_sequence(key_));
        if (!main_->is_valid() || without_sequence(main_->key()) != group) return true;
        main_->seek(group);
        group_ = scan_prefix(reader_, group, sdk::ScanDirection::forward);
        return take(*group_);
    }

    const sdk::Reader& reader_;
    const OrderedEntries entries_;
    bool is_ascending_;
    std::unique_ptr<sdk::Cursor> main_;
    std::unique_ptr<sdk::Cursor> group_;
    std::string key_;
    std::string text_;
    bool has_begun_ = false;
};

class OrderedSource final : public CandidateSource {
public:
    OrderedSource(std::vector<std::unique_ptr<ValueStream>> streams, bool is_ascending,
                  bool is_exact, RunCost& cost)
        : streams_(std::move(streams)),
          is_ascending_(is_ascending),
          is_exact_(is_exact),
          cost_(cost) {}

    sdk::Result<bool> next(Candidate& candidate) override {
        if (!has_begun_) {
            has_begun_ = true;
            for (std::size_t i = streams_.size(); i-- > 0;) {
                if (auto moved = advance(i); !moved) return moved.error();
            }
        } else if (!streams_.empty()) {
            if (auto moved = advance(current_); !moved) return moved.error();
        }
        if (streams_.empty()) return false;
        current_ = 0;
        for (std::size_t i = 1; i < streams_.size(); ++i) {
            if (is_before(*streams_[i], *streams_[current_])) current_ = i;
        }
        ++cost_.entries;
        candidate = {streams_[current_]->sequence(), {}, is_exact_};
        return true;
    }

private:
    sdk::Result<void> advance(std::size_t i) {
        const auto moved = streams_[i]->next();
        if (!moved) return moved.error();
        if (!*moved) streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
        return {};
    }

    bool is_before(const ValueStream& a, const ValueStream& b) const {
        const int order = a.value().compare(b.value());
        if (order != 0) return is_ascending_ ? order < 0 : order > 0;
        return a.sequence() < b.sequence();
    }

    std::vector<std::unique_ptr<ValueStream>> streams_;
    bool is_ascending_;
    bool is_exact_;
    RunCost& cost_;
    std::size_t current_ = 0;
    bool has_begun_ = false;
};

class ChainedSource final : public CandidateSource {
public:
    explicit ChainedSource(std::vector<std::unique_ptr<CandidateSource>> sources)
        : sources_(std::move(sources)) {}

    sdk::Result<bool> next(Candidate& candidate) override {
        for (; at_ < sources_.size(); ++at_) {
            const auto more = sources_[at_]->next(candidate);
            if (!more || *more) return more;
        }
        return false;
    }

private:
    std::vector<std::unique_ptr<CandidateSource>> sources_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<CandidateSource> record_source(const sdk::Reader& reader, CollectionId collection,
                                               bool is_exact, RunCost& cost) {
    return std::make_unique<RangeSource>(
        scan_prefix(reader, collection_prefix(collection, 'd'), sdk::ScanDirection::forward),
        is_exact, cost.records, true);
}

std::unique_ptr<CandidateSource> range_source(const sdk::Reader& reader, sdk::KeyRange range,
                                              bool is_exact, RunCost& cost) {
    return std::make_unique<RangeSource>(reader.scan(std::move(range), sdk::ScanDirection::forward),
                                         is_exact, cost.entries, false);
}

std::unique_ptr<CandidateSource> list_source(std::vector<ListedCandidate> candidates,
                                             std::uint64_t* visited) {
    return std::make_unique<ListSource>(std::move(candidates), visited);
}

std::unique_ptr<CandidateSource> merged_source(const sdk::Reader& reader,
                                               const std::vector<sdk::KeyRange>& ranges,
                                               bool is_exact, RunCost& cost) {
    std::vector<std::unique_ptr<sdk::Cursor>> cursors;
    cursors.reserve(ranges.size());
    for (const sdk::KeyRange& range : ranges)
        cursors.push_back(reader.scan(range, sdk::ScanDirection::forward));
    return std::make_unique<MergedSource>(std::move(cursors), is_exact, cost.entries);
}

OrderedEntries OrderedEntries::of(std::string prefix) {
    sdk::KeyRange range{prefix, sdk::prefix_end(prefix)};
    return {std::move(prefix), std::move(range)};
}

std::unique_ptr<CandidateSource> ordered_source(const sdk::Reader& reader,
                                                std::vector<OrderedEntries> entries,
                                                bool is_ascending, bool is_exact, RunCost& cost) {
    std::vector<std::unique_ptr<ValueStream>> streams;
    streams.reserve(entries.size());
    for (OrderedEntries& one : entries)
        streams.push_back(std::make_unique<ValueStream>(reader, std::move(one), is_ascending));
    return std::make_unique<OrderedSource>(std::move(streams), is_ascending, is_exact, cost);
}

std::unique_ptr<CandidateSource> chained_source(
    std::vector<std::unique_ptr<CandidateSource>> sources) {
    return std::make_unique<ChainedSource>(std::move(sources));
}

}  // namespace stele::kernel::storage
