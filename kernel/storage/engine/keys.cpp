#include "kernel/storage/engine/keys.hpp"

#include <chrono>
#include <mutex>
#include <random>

#include <stele/sdk/encoding.hpp>

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kMillisecondBytes = 6;
constexpr std::size_t kCounterBytes = 4;
static_assert(kMillisecondBytes + kCounterBytes == kSequenceSize);

std::uint64_t milliseconds_now() {
    using namespace std::chrono;
    const auto now = system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(duration_cast<milliseconds>(now).count());
}

/// The sequences of this process. A clock that is set back must not make them fall.
class SequenceSource {
public:
    SequenceSource() {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        random_.seed(seed);
    }

    Sequence next() {
        const std::lock_guard lock(mutex_);
        if (const std::uint64_t now = milliseconds_now(); now > milliseconds_) {
            milliseconds_ = now;
            // In the lower half, so that there is room to grow within the millisecond.
            counter_ = static_cast<std::uint32_t>(random_()) >> 1;
        } else if (++counter_ == 0) {
            ++milliseconds_;
        }
        Sequence sequence;
        sequence.reserve(kSequenceSize);
        append(sequence, milliseconds_, kMillisecondBytes);
        append(sequence, counter_, kCounterBytes);
        return sequence;
    }

private:
    static void append(Sequence& sequence, std::uint64_t value, std::size_t size) {
        for (std::size_t i = size; i-- > 0;)
            sequence.push_back(static_cast<char>(value >> (8 * i)));
    }

    std::mutex mutex_;
    std::mt19937_64 random_;
    std::uint64_t milliseconds_ = 0;
    std::uint32_t counter_ = 0;
};

sdk::KeyWriter kind(std::uint64_t platform, char tag) {
    sdk::KeyWriter writer;
    writer.integer(platform).tag(tag);
    return writer;
}

}  // namespace

std::string kind_prefix(std::uint64_t platform, char tag) {
    return kind(platform, tag).key();
}

std::string collection_prefix(CollectionId collection, char tag) {
    return kind(collection.platform, tag).integer(collection.number).key();
}

std::string record_path(CollectionId collection, std::string_view sequence) {
    return kind(collection.platform, 'd').integer(collection.number).raw(sequence).key();
}

sdk::RecordKey record_key(CollectionId collection, std::string_view sequence) {
    return record_key_prefix(collection).append(sequence);
}

std::string record_key_prefix(CollectionId collection) {
    return sdk::KeyWriter().integer(collection.platform).integer(collection.number).key();
}

bool split_record_key(std::string_view key, CollectionId& collection, std::string_view& sequence) {
    sdk::KeyReader reader(key);
    const auto platform = reader.integer();
    if (!platform) return false;
    const auto number = reader.integer();
    if (!number || reader.rest().size() != kSequenceSize) return false;
    collection = {*platform, *number};
    sequence = reader.rest();
    return true;
}

CollectionId collection_of(std::string_view record_key) {
    CollectionId collection;
    std::string_view sequence;
    return split_record_key(record_key, collection, sequence) ? collection : CollectionId();
}

Sequence next_sequence() {
    static SequenceSource source;
    return source.next();
}

std::string sequence_text(std::string_view sequence) {
    return sdk::hex_text(sequence);
}

bool parse_sequence(std::string_view text, Sequence& sequence) {
    Sequence read;
    if (text.size() != kSequenceSize * 2 || !sdk::read_hex(text, read)) return false;
    sequence = std::move(read);
    return true;
}

std::string platform_path(std::uint64_t platform) {
    return kind(0, 'p').integer(platform).key();
}

std::string platform_state_path(std::uint64_t platform) {
    return kind(0, 'o').integer(platform).key();
}

std::string plugin_space(std::uint64_t platform, std::string_view space) {
    return kind(platform, 's').text(space).key();
}

std::string name_path(std::string_view name) {
    return kind(0, 'n').text(name).key();
}

std::string last_name_path() {
    return kind_prefix(0, 'N');
}

}  // namespace stele::kernel::storage
