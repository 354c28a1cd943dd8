#include "sdk/testing/memory_engine.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <stele/sdk/key_tuple.hpp>

#include "sdk/testing/memory_state.hpp"

namespace stele::sdk::testing {

namespace {

using State = MemoryEngine::State;

std::string just_above(std::string_view key) {
    return std::string(key) + '\0';
}

/// Answers the first key of a range in scan direction, and the value of a key, of some picture.
struct Picture {
    std::function<std::optional<std::string>(const KeyRange&, ScanDirection)> first_key;
    std::function<std::optional<std::string>(std::string_view)> value;
    /// Told which part of the range a cursor has seen.
    std::function<void(KeyRange)> seen;
};

class MemoryCursor final : public Cursor {
public:
    MemoryCursor(Picture picture, KeyRange range, ScanDirection direction)
        : picture_(std::move(picture)), range_(std::move(range)), direction_(direction) {
        find(range_);
    }

    bool is_valid() const override { return is_valid_; }
    std::string_view key() const override { return key_; }
    std::string_view value() const override { return value_; }
    void next() override {
        // Nothing lies below the empty key, and as the end of a range it would mean "no end".
        if (!is_forward() && key_.empty()) {
            is_valid_ = false;
        } else {
            find(rest_beyond_key());
        }
    }

    void seek(std::string_view key) override {
        KeyRange rest = range_;
        if (is_forward()) {
            rest.begin = std::max(rest.begin, std::string(key));
        } else if (rest.end.empty() || just_above(key) < rest.end) {
            rest.end = just_above(key);
        }
        find(std::move(rest));
    }

    Result<void> status() const override { return {}; }

private:
    bool is_forward() const { return direction_ == ScanDirection::forward; }

    KeyRange rest_beyond_key() const {
        return is_forward() ? KeyRange{just_above(key_), range_.end} : KeyRange{range_.begin, key_};
    }

    void find(KeyRange rest) {
        const KeyRange all = rest;
        is_valid_ = false;
        while (true) {
            std::optional<std::string> key = picture_.first_key(rest, direction_);
            if (!key) break;
            key_ = *std::move(key);
            if (std::optional<std::string> value = picture_.value(key_)) {
                value_ = *std::move(value);
                is_valid_ = true;
                break;
            }
            if (!is_forward() && key_.empty()) break;
            rest = rest_beyond_key();
        }
        if (!is_valid_) return picture_.seen(all);
        picture_.seen(is_forward() ? KeyRange{all.begin, just_above(key_)}
                                   : KeyRange{key_, all.end});
    }

    Picture picture_;
    KeyRange range_;
    ScanDirection direction_;
    bool is_valid_ = false;
    std::string key_;
    std::string value_;
};

class MemoryReader final : public Reader {
public:
    explicit MemoryReader(State& state) : state_(state), snapshot_(state.open_snapshot()) {}
    ~MemoryReader() override { state_.close_snapshot(snapshot_); }
    MemoryReader(const MemoryReader&) = delete;
    MemoryReader& operator=(const MemoryReader&) = delete;

    Result<std::optional<std::string>> get(std::string_view key) const override {
        return state_.get(key, snapshot_);
    }

    Result<bool> get_into(std::string_view key, std::string& value) const override {
        std::optional<std::string> found = state_.get(key, snapshot_);
        if (found) value = *std::move(found);
        return found.has_value();
    }

    std::unique_ptr<Cursor> scan(KeyRange range, ScanDirection direction) const override {
        Picture picture;
        picture.first_key = [this](const KeyRange& in, ScanDirection towards) {
            return state_.first_key(in, towards);
        };
        picture.value = [this](std::string_view key) { return state_.get(key, snapshot_); };
        picture.seen = [](const KeyRange&) {};
        return std::make_unique<MemoryCursor>(std::move(picture), std::move(range), direction);
    }

    std::optional<std::uint64_t> state() const override { return snapshot_; }

private:
    State& state_;
    std::uint64_t snapshot_;
};

template <class Map>
void consider_first_key(const Map& map, const KeyRange& range, ScanDirection direction,
                        std::optional<std::string>& best) {
    const bool is_forward = direction == ScanDirection::forward;
    auto at = is_forward          ? map.lower_bound(range.begin)
              : range.end.empty() ? map.end()
                                  : map.lower_bound(range.end);
    if (is_forward ? at == map.end() : at == map.begin()) return;
    if (!is_forward) --at;
    const std::string& key = at->first;
    if (!is_inside(range, key)) return;
    if (!best || (is_forward ? key.compare(*best) < 0 : key.compare(*best) > 0)) best = key;
}

class MemoryTransaction final : public Transaction {
public:
    explicit MemoryTransaction(State& state) : state_(state), snapshot_(state.open_snapshot()) {}
    ~MemoryTransaction() override { state_.close_snapshot(snapshot_); }
    MemoryTransaction(const MemoryTransaction&) = delete;
    MemoryTransaction& operator=(const MemoryTransaction&) = delete;

    Result<std::optional<std::string>> get(std::string_view key) const override {
        note_read(key);
        return value_of(key);
    }

    Result<bool> get_into(std::string_view key, std::string& value) const override {
        note_read(key);
        std::optional<std::string> found = value_of(key);
        if (found) value = *std::move(found);
        return found.has_value();
    }

    Result<std::optional<std::string>> peek(std::string_view key) const override {
        return value_of(key);
    }

    std::unique_ptr<Cursor> scan(KeyRange range, ScanDirection direction) const override {
        Picture picture;
        picture.first_key = [this](const KeyRange& in, ScanDirection towards) {
            std::optional<std::string> best = state_.first_key(in, towards);
            consider_first_key(pending_.writes, in, towards, best);
            consider_first_key(pending_.additions, in, towards, best);
            return best;
        };
        picture.value = [this](std::string_view key) { return value_of(key); };
        picture.seen = [this](KeyRange range_seen) {
            reads_.ranges.push_back(std::move(range_seen));
        };
        return std::make_unique<MemoryCursor>(std::move(picture), std::move(range), direction);
    }

    void put(std::string_view key, std::string_view value) override {
        forget_addition(key);
        pending_.writes.insert_or_assign(std::string(key), std::string(value));
    }

    void remove(std::string_view key) override {
        forget_addition(key);
        pending_.writes.insert_or_assign(std::string(key), std::nullopt);
    }

    void remove_range(KeyRange range) override {
        std::erase_if(pending_.writes,
                      [&](const auto& entry) { return is_inside(range, entry.first); });
        std::erase_if(pending_.additions,
                      [&](const auto& entry) { return is_inside(range, entry.first); });
        pending_.removed_ranges.push_back(std::move(range));
    }

    void add(std::string_view key, std::int64_t delta) override {
        const auto written = pending_.writes.find(key);
        if (written != pending_.writes.end()) {
            written->second = counter_bytes(read_counter(written->second) + delta);
        } else if (is_removed(key)) {
            put(key, counter_bytes(delta));
        } else {
            pending_.additions[std::string(key)] += delta;
        }
    }

    /// The stamp is known at once here, so two that take one conflict.
    void put_stamped(std::string_view counter, const StampedPut& put) override {
        auto known = stamps_.find(counter);
        if (known == stamps_.end()) {
            note_read(counter);
            const std::int64_t number = read_counter(value_of(counter)) + 1;
            this->put(counter, counter_bytes(number));
            known = stamps_.emplace(std::string(counter), static_cast<std::uint64_t>(number)).first;
        }
        const std::uint64_t number = known->second + put.step;
        const auto last = static_cast<std::int64_t>(number);
        if (read_counter(value_of(counter)) < last) this->put(counter, counter_bytes(last));
        this->put(stamped_bytes(put.key, put.in_key, number),
                  stamped_bytes(put.value, put.in_value, number));
    }

    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        const auto known = stamps_.find(counter);
        if (known == stamps_.end()) return std::nullopt;
        return known->second;
    }

    bool has_writes() const override { return !pending_.is_empty(); }
    std::optional<std::uint64_t> state() const override {
        return has_writes() ? std::nullopt : std::optional(snapshot_);
    }

    void commit(Done done) override {
        state_.enqueue({snapshot_, &pending_, &reads_, std::move(done)});
    }

private:
    void note_read(std::string_view key) const { reads_.keys.emplace(key); }

    void forget_addition(std::string_view key) {
        const auto found = pending_.additions.find(key);
        if (found != pending_.additions.end()) pending_.additions.erase(found);
    }

    bool is_removed(std::string_view key) const {
        return std::any_of(pending_.removed_ranges.begin(), pending_.removed_ranges.end(),
                           [key](const KeyRange& range) { return is_inside(range, key); });
    }

    std::optional<std::string> value_of(std::string_view key) const {
        const auto written = pending_.writes.find(key);
        if (written != pending_.writes.end()) return written->second;
        if (is_removed(key)) return std::nullopt;
        std::optional<std::string> stored = state_.get(key, snapshot_);
        const auto added = pending_.additions.find(key);
        if (added == pending_.additions.end()) return stored;
        return counter_bytes(read_counter(stored) + added->second);
    }

    State& state_;
    std::uint64_t snapshot_;
    PendingWrites pending_;
    std::map<std::string, std::uint64_t, std::less<>> stamps_;
    mutable ReadSet reads_;  // reading is const to callers, but a transaction remembers it
};

}  // namespace

MemoryEngine::MemoryEngine() : state_(std::make_unique<State>()) {}
MemoryEngine::~MemoryEngine() = default;

std::unique_ptr<Reader> MemoryEngine::snapshot() {
    return std::make_unique<MemoryReader>(*state_);
}

std::unique_ptr<Transaction> MemoryEngine::begin() {
    return std::make_unique<MemoryTransaction>(*state_);
}

void MemoryEngine::observe(std::string prefix, CommitObserver observer) {
    const std::lock_guard lock(state_->mutex);
    state_->observers.emplace_back(std::move(prefix), std::move(observer));
}

std::uint64_t MemoryEngine::approximate_size(const KeyRange& range) {
    return state_->size_of(range);
}

void MemoryEngine::refuse_commits(int count, Error error) {
    const std::lock_guard lock(state_->mutex);
    state_->refusals = count;
    state_->refusal = std::move(error);
}

std::uint64_t MemoryEngine::begun_count() const {
    const std::lock_guard lock(state_->mutex);
    return state_->begun;
}

}  // namespace stele::sdk::testing
