#include "kernel/storage/index/composite_builder.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>

#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kChunk = 256;

CompositeIndexState* find_number(IndexState& state, std::uint64_t number) {
    const auto found =
        std::find_if(state.composites.begin(), state.composites.end(),
                     [number](const CompositeIndexState& index) { return index.number == number; });
    return found == state.composites.end() ? nullptr : &*found;
}

std::size_t automatic_ones(const IndexState& state) {
    return static_cast<std::size_t>(
        std::count_if(state.composites.begin(), state.composites.end(),
                      [](const CompositeIndexState& index) { return index.is_automatic; }));
}

sdk::Result<void> index_record(sdk::Transaction& transaction, const CompositeIndexState& index,
                               const Record& record) {
    FieldValues values;
    for (const std::string& field : index.fields)
        values.watch(field);
    if (auto walked = walk_values(record.text(), {&values}); !walked) return walked;
    write_composite_change(transaction, record.collection, index, record.sequence, nullptr,
                           &values);
    return {};
}

}  // namespace

sdk::KeyRange records_between(CollectionId collection, const Sequence& after,
                              const Sequence& through) {
    return {record_path(collection, after) + std::string(1, '\0'),
            record_path(collection, through) + std::string(1, '\0')};
}

sdk::Result<Sequence> last_sequence(const sdk::Reader& reader, CollectionId collection) {
    const std::string prefix = collection_prefix(collection, 'd');
    const auto cursor =
        reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::backward);
    Sequence last = next_sequence();
    if (cursor->is_valid()) {
        const std::string_view key = cursor->key();
        last = std::max(last, Sequence(key.substr(key.size() - kSequenceSize)));
    } else if (auto status = cursor->status(); !status) {
        return status.error();
    }
    return last;
}

sdk::Result<std::shared_ptr<const IndexState>> IndexStates::of(const sdk::Reader& reader,
                                                               CollectionId collection) {
    static const auto kNone = std::make_shared<const IndexState>();
    thread_local std::string bytes;
    const auto found = reader.get_into(index_state_key(collection), bytes);
    if (!found) return found.error();
    if (!*found) return kNone;
    if (auto known = find(collection, bytes)) return known;
    auto state = IndexState::decode(bytes);
    if (!state) return state.error();
    auto shared = std::make_shared<const IndexState>(std::move(*state));
    keep(collection, {bytes, shared});
    return shared;
}

sdk::Result<std::shared_ptr<const IndexState>> IndexStates::in_space(
    const sdk::Reader& reader, CollectionId collection, const std::vector<std::string>& unindexed) {
    thread_local std::string bytes;
    const auto found = reader.get_into(space_indexes_key(collection), bytes);
    if (!found) return found.error();
    if (!*found) bytes.clear();
    if (auto known = find(collection, bytes)) return known;
    IndexState state;
    state.unindexed = unindexed;
    if (*found) {
        auto made = SpaceIndexes::decode(bytes);
        if (!made) return made.error();
        state.made = std::move(*made);
    }
    auto shared = std::make_shared<const IndexState>(std::move(state));
    keep(collection, {bytes, shared});
    return shared;
}

std::shared_ptr<const IndexState> IndexStates::find(CollectionId collection,
                                                    const std::string& bytes) {
    const std::shared_lock lock(mutex_);
    const auto known = known_.find({collection.platform, collection.number});
    const bool is_same = known != known_.end() && known->second.bytes == bytes;
    return is_same ? known->second.state : nullptr;
}

void IndexStates::keep(CollectionId collection, Known known) {
    const std::unique_lock lock(mutex_);
    if (known_.size() >= kCached) known_.clear();
    known_[{collection.platform, collection.number}] = std::move(known);
}

CompositeBuilder::~CompositeBuilder() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void CompositeBuilder::request(CollectionId collection, std::vector<std::string> fields,
                               bool is_numeric, bool is_automatic) {
    add({collection, std::move(fields), is_numeric, is_automatic});
}

void CompositeBuilder::resume(CollectionId collection) {
    add({collection, {}, false, false});
}

void CompositeBuilder::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
}

void CompositeBuilder::add(Task task) {
    {
        const std::lock_guard lock(mutex_);
        if (stops_ || std::find(tasks_.begin(), tasks_.end(), task) != tasks_.end()) return;
        tasks_.push_back(std::move(task));
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    }
    changed_.notify_all();
}

void CompositeBuilder::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stops_ || !tasks_.empty(); });
        if (stops_) break;
        const Task task = tasks_.front();
        lock.unlock();
        if (const auto done = run(task); !done) {
            sdk::log(sdk::LogLevel::warning, "storage",
                     "building an index stopped and goes on later: " + done.error().code + ": " +
                         done.error().message + " " + done.error().detail);
        }
        lock.lock();
        tasks_.pop_front();
        changed_.notify_all();
    }
    tasks_.clear();
    changed_.notify_all();
}

bool CompositeBuilder::is_stopping() {
    const std::lock_guard lock(mutex_);
    return stops_;
}

sdk::Result<void> CompositeBuilder::run(const Task& task) {
    if (!task.fields.empty()) {
        auto announced = sdk::write_with_retry(
            engine_, [&](sdk::Transaction& transaction) { return announce(transaction, task); });
        if (!announced) return announced;
    }
    while (!is_stopping()) {
        const auto reader = engine_.snapshot();
        const auto state = states_.of(*reader, task.collection);
        if (!state) return state.error();
        const auto& all = (*state)->composites;
        const auto open = std::find_if(
            all.begin(), all.end(), [](const CompositeIndexState& one) { return !one.is_ready; });
        if (open == all.end()) return {};
        auto built = sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
            return build_chunk(transaction, task.collection, open->number);
        });
        if (!built) return built;
    }
    return {};
}

sdk::Result<void> CompositeBuilder::announce(sdk::Transaction& transaction, const Task& task) {
    const auto present = states_.of(transaction, task.collection);
    if (!present) return present.error();
    IndexState state = **present;
    if (state.find(task.fields, task.is_numeric) != nullptr) return {};
    if (task.is_automatic && automatic_ones(state) >= kMaxAutomatic) return {};
    const auto last = last_sequence(transaction, task.collection);
    if (!last) return last.error();
    state.composites.push_back({.number = state.next_number(),
                                .fields = task.fields,
                                .is_numeric = task.is_numeric,
                                .is_automatic = task.is_automatic,
                                .is_ready = false,
                                .built = {},
                                .ceiling = *last});
    transaction.put(index_state_key(task.collection), state.encode());
    return {};
}

sdk::Result<void> CompositeBuilder::build_chunk(sdk::Transaction& transaction,
                                                CollectionId collection, std::uint64_t number) {
    const auto present = states_.of(transaction, collection);
    if (!present) return present.error();
    IndexState state = **present;
    CompositeIndexState* index = find_number(state, number);
    if (index == nullptr || index->is_ready) return {};
    Record record;
    record.collection = collection;
    std::size_t done = 0;
    const auto cursor = transaction.scan(records_between(collection, index->built, index->ceiling),
                                         sdk::ScanDirection::forward);
    for (; cursor->is_valid() && done < kChunk; cursor->next(), ++done) {
        const std::string_view key = cursor->key();
        record.sequence.assign(key.substr(key.size() - kSequenceSize));
        record.buffer().assign(cursor->value());
        if (!record.decode()) {
            return sdk::make_error(sdk::ErrorKind::internal, "document.record_broken",
                                   "A stored record cannot be read.");
        }
        if (auto indexed = index_record(transaction, *index, record); !indexed) return indexed;
    }
    if (auto status = cursor->status(); !status) return status;
    if (done < kChunk) {
        index->is_ready = true;
        index->built.clear();
        index->ceiling.clear();
    } else {
        index->built = record.sequence;
    }
    transaction.put(index_state_key(collection), state.encode());
    return {};
}

void CompositeAdvisor::costly(CollectionId collection, const std::vector<std::string>& fields,
                              bool is_numeric) {
    {
        const std::lock_guard lock(mutex_);
        if (seen_.size() >= kShapes) seen_.clear();
        const Shape shape{collection.platform, collection.number, fields, is_numeric};
        if (++seen_[shape] != kRepetitions) return;
    }
    builder_.request(collection, fields, is_numeric, true);
}

}  // namespace stele::kernel::storage
