#include "reading/read_ahead.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxWaitingBytes = std::size_t{1} << 20;
constexpr std::size_t kBytesOfBatch = std::size_t{128} << 10;
constexpr std::size_t kItemsOfBatch = 32;
/// What a value takes beside its text, roughly.
constexpr std::size_t kCostOfValue = 64;
constexpr std::size_t kCostOfFile = 512;
constexpr std::chrono::milliseconds kUntilIdle{500};

std::size_t cost_of(const sdk::Json& value) {
    std::size_t cost = kCostOfValue;
    if (value.is_string()) return cost + value.get_ref<const std::string&>().size();
    if (value.is_object()) {
        for (const auto& [name, member] : value.items())
            cost += kCostOfValue + name.size() + cost_of(member);
    } else if (value.is_array()) {
        for (const sdk::Json& element : value)
            cost += cost_of(element);
    }
    return cost;
}

std::size_t cost_of(const sdk::ContentItem& item) {
    return cost_of(item.fields) + item.files.size() * kCostOfFile;
}

/// Items that go from one thread to the other at once: to wake a thread costs as much as to read
/// one.
struct Batch {
    std::vector<sdk::ContentItem> items;
    std::size_t cost = 0;

    void add(sdk::ContentItem item) {
        cost += cost_of(item);
        items.push_back(std::move(item));
    }
    bool is_full() const { return items.size() >= kItemsOfBatch || cost >= kBytesOfBatch; }
};

/// Between the thread that reads and the one that brings.
class Waiting {
public:
    /// False once nobody takes any more.
    bool put(Batch batch) {
        std::unique_lock lock(mutex_);
        has_room_.wait(
            lock, [&] { return is_left_ || cost_ == 0 || cost_ + batch.cost <= kMaxWaitingBytes; });
        if (is_left_) return false;
        cost_ += batch.cost;
        batches_.push_back(std::move(batch));
        has_batch_.notify_one();
        return true;
    }

    void end(sdk::Result<void> outcome, std::exception_ptr thrown) {
        const std::lock_guard lock(mutex_);
        outcome_ = std::move(outcome);
        thrown_ = std::move(thrown);
        is_ended_ = true;
        has_batch_.notify_one();
    }

    /// Nothing at the end. The former one is not needed any more. `idle` is called while there is
    /// none yet.
    sdk::Result<std::optional<Batch>> take(const ReadAhead::Idle& idle) {
        std::unique_lock lock(mutex_);
        cost_ -= std::exchange(taken_, 0);
        has_room_.notify_one();
        const auto is_there = [&] { return is_ended_ || !batches_.empty(); };
        while (!has_batch_.wait_for(lock, kUntilIdle, is_there)) {
            lock.unlock();
            if (auto done = idle(); !done) return done.error();
            lock.lock();
        }
        if (batches_.empty()) return std::optional<Batch>();
        std::optional<Batch> batch(std::move(batches_.front()));
        batches_.pop_front();
        taken_ = batch->cost;
        return batch;
    }

    void leave() {
        const std::lock_guard lock(mutex_);
        is_left_ = true;
        has_room_.notify_one();
    }
    bool is_left() const { return is_left_; }

    /// Once the other thread has ended.
    sdk::Result<void> outcome() {
        if (thrown_) std::rethrow_exception(thrown_);
        return std::move(outcome_);
    }

private:
    std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_batch_;
    std::deque<Batch> batches_;
    /// Of what waits and of what was taken last.
    std::size_t cost_ = 0;
    std::size_t taken_ = 0;
    std::atomic<bool> is_left_ = false;
    bool is_ended_ = false;
    sdk::Result<void> outcome_;
    std::exception_ptr thrown_;
};

sdk::Error nobody_takes() {
    return sdk::make_error(sdk::ErrorKind::internal, "archives.reading_left",
                           "what brings the content has ended");
}

void read(sdk::ContentSource& source, const sdk::ContentSource::IsWanted& is_wanted,
          Waiting& waiting) {
    Batch batch;
    sdk::Result<void> walked;
    std::exception_ptr thrown;
    try {
        walked = source.for_each_wanted(
            // The visit ends the walk.
            [&](std::uint64_t position) { return waiting.is_left() || is_wanted(position); },
            [&](sdk::ContentItem item) -> sdk::Result<void> {
                if (waiting.is_left()) return nobody_takes();
                batch.add(std::move(item));
                if (!batch.is_full() || waiting.put(std::exchange(batch, {}))) return {};
                return nobody_takes();
            });
        if (!batch.items.empty()) waiting.put(std::move(batch));
    } catch (...) {
        thrown = std::current_exception();
    }
    waiting.end(std::move(walked), std::move(thrown));
}

/// The thread ends with it, before what it reads into.
class Reading {
public:
    Reading(sdk::ContentSource& source, const sdk::ContentSource::IsWanted& is_wanted,
            Waiting& waiting)
        : waiting_(waiting),
          thread_([&source, &is_wanted, &waiting] { read(source, is_wanted, waiting); }) {}
    ~Reading() {
        waiting_.leave();
        thread_.join();
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    Waiting& waiting_;
    std::thread thread_;
};

}  // namespace

sdk::Result<void> ReadAhead::for_each(const Visit& visit) {
    return for_each_wanted([](std::uint64_t) { return true; }, visit);
}

sdk::Result<void> ReadAhead::for_each_wanted(const IsWanted& is_wanted, const Visit& visit) {
    if (source_.reads_context()) return source_.for_each_wanted(is_wanted, visit);
    Waiting waiting;
    {
        const Reading reading(source_, is_wanted, waiting);
        for (;;) {
            auto batch = waiting.take(idle_);
            if (!batch) return batch.error();
            if (!*batch) break;
            for (sdk::ContentItem& item : (*batch)->items) {
                if (auto visited = visit(std::move(item)); !visited) return visited;
            }
        }
    }
    return waiting.outcome();
}

}  // namespace stele::archives
