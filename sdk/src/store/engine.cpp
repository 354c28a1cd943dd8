#include <stele/sdk/engine.hpp>
#include <stele/sdk/movable_snapshot.hpp>
#include <stele/sdk/unchecked_writes.hpp>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace stele::sdk {

KeyRange only_key(std::string_view key) {
    KeyRange range{std::string(key), std::string(key)};
    range.end.push_back('\0');
    return range;
}

Result<void> Transaction::note_get(std::string_view key) const {
    auto found = get(key);
    if (!found) return found.error();
    return {};
}

Result<std::uint64_t> Reader::count(const KeyRange& range,
                                    const std::function<Result<void>()>& step) const {
    std::uint64_t entries = 0;
    const auto cursor = scan(range, ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        ++entries;
        if (auto stepped = step(); !stepped) return stepped.error();
    }
    if (auto status = cursor->status(); !status) return status.error();
    return entries;
}

Result<void> Transaction::note_scan(KeyRange range) const {
    const auto cursor = scan(std::move(range), ScanDirection::forward);
    while (cursor->is_valid())
        cursor->next();
    return cursor->status();
}

Result<void> Transaction::add_within(std::string_view key, std::int64_t delta, std::int64_t most) {
    if (delta > 0) {
        auto present = get(key);
        if (!present) return present.error();
        if (read_counter(*present) > most - delta) {
            return make_error(ErrorKind::conflict, "engine.conflict",
                              "The data was changed by somebody else at the same time.");
        }
    }
    add(key, delta);
    return {};
}

namespace {

constexpr std::size_t kCounterSize = 8;
constexpr const char* kConflictCode = "engine.conflict";

bool is_conflict(const Error& error) {
    return error.kind == ErrorKind::conflict && error.code == kConflictCode;
}

// The first repetition comes at once: most conflicts are over by then. Later ones wait a random
// time below a bound that grows to 32 ms, so that rivals do not meet again.
void back_off(int failures) {
    if (failures < 2) return;
    thread_local std::minstd_rand random{std::random_device{}()};
    const int bound_us = 250 << std::min(failures - 2, 7);
    std::uniform_int_distribution<int> pause(0, bound_us);
    std::this_thread::sleep_for(std::chrono::microseconds(pause(random)));
}

}  // namespace

Cursor::~Cursor() = default;
Reader::~Reader() = default;
Engine::~Engine() = default;
UncheckedWrites::~UncheckedWrites() = default;
MovableSnapshot::~MovableSnapshot() = default;

Result<void> Engine::status() const {
    return {};
}

std::int64_t read_counter(const std::optional<std::string>& bytes) {
    if (!bytes || bytes->size() != kCounterSize) return 0;
    std::uint64_t value = 0;
    for (char byte : *bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
}

std::string counter_bytes(std::int64_t value) {
    std::string bytes(kCounterSize, '\0');
    auto rest = static_cast<std::uint64_t>(value);
    for (std::size_t i = kCounterSize; i-- > 0; rest >>= 8)
        bytes[i] = static_cast<char>(rest);
    return bytes;
}

void stamp_bytes(std::string& bytes, const StampPlace& place, std::uint64_t stamp) {
    assert(place.offset + kCounterSize <= bytes.size());
    const std::uint64_t number = place.is_descending ? ~stamp : stamp;
    for (std::size_t i = 0; i < kCounterSize; ++i)
        bytes[place.offset + i] = static_cast<char>(number >> (8 * (kCounterSize - 1 - i)));
}

std::string stamped_bytes(std::string_view bytes, const std::optional<StampPlace>& place,
                          std::uint64_t stamp) {
    std::string stamped(bytes);
    if (place) stamp_bytes(stamped, *place, stamp);
    return stamped;
}

Result<bool> move_on(Transaction& transaction, MoveOn when) {
    auto* const movable = dynamic_cast<MovableSnapshot*>(&transaction);
    return movable ? movable->move_on(when) : false;
}

Result<void> commit_and_wait(Transaction& transaction) {
    struct Outcome {
        std::mutex mutex;
        std::condition_variable arrived;
        std::optional<Result<void>> result;
    };
    // Shared: the engine's thread may still be inside `notify_one` when this one has gone on.
    const auto outcome = std::make_shared<Outcome>();
    transaction.commit([outcome](Result<void> result) {
        const std::lock_guard lock(outcome->mutex);
        outcome->result = std::move(result);
        outcome->arrived.notify_one();
    });
    std::unique_lock lock(outcome->mutex);
    outcome->arrived.wait(lock, [&] { return outcome->result.has_value(); });
    return *std::move(outcome->result);
}

Result<void> write_with_retry(Engine& engine, const std::function<Result<void>(Transaction&)>& work,
                              int attempts) {
    for (int failures = 0; failures < attempts; ++failures) {
        back_off(failures);
        const std::unique_ptr<Transaction> transaction = engine.begin();
        Result<void> done = work(*transaction);
        if (done) done = commit_and_wait(*transaction);
        if (done || !is_conflict(done.error())) return done;
    }
    return make_error(ErrorKind::unavailable, "engine.busy",
                      "Too many writes to the same data at once; try again.",
                      "a transaction met a conflict " + std::to_string(attempts) + " times");
}

}  // namespace stele::sdk
