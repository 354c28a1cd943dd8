#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <stele/sdk/optimistic/key_hash.hpp>
#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

namespace stele::sdk::optimistic {

/// Stands for a version that open transactions read at; conflicts with later commits must stay
/// detectable while it lives.
struct VersionPin {
    std::uint64_t version;
};

/// Which keys were written lately, batch by batch, so that a transaction can be told whether what
/// it has read is still so. One thread at a time.
class CommitHistory {
public:
    /// Beyond this the oldest batches are forgotten, and transactions that began before them
    /// conflict when they have read anything.
    static constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

    explicit CommitHistory(std::size_t most_bytes = kMaxBytes) : most_bytes_(most_bytes) {}

    /// Starts the batch that will become `version`.
    void begin_batch(std::uint64_t version);
    /// Whether something that was read at `version` has been written since, in former batches or
    /// the present one.
    bool has_conflict(const ReadSet& reads, std::uint64_t version);
    /// Notes a key as written by the present batch.
    void add(std::string_view key, std::uint64_t hash);
    bool is_written_in_batch(std::uint64_t hash) const;
    /// The keys of the present batch, until the next one begins.
    void batch_keys(std::vector<std::string_view>& keys) const;

    /// `pin` is held by transactions that read at the version that was just published.
    void published(const std::shared_ptr<const VersionPin>& pin);
    /// Of all batches before the present one.
    std::size_t memory() const { return memory_; }
    /// The same with all that were forgotten: what has come since somebody looked.
    std::uint64_t grown() const { return grown_; }
    /// Nothing up to `version` is known any more: whoever read at a lower one conflicts.
    void forget_up_to(std::uint64_t version);

private:
    /// The present batch grows between two looks at it; so many keys are faster gone through.
    static constexpr std::size_t kMaxUnsorted = 64;

    struct Batch {
        struct Span {
            std::size_t begin;
            std::size_t size;
            std::uint64_t hash;
        };
        std::uint64_t version = 0;
        std::string bytes;
        std::vector<Span> spans;
        std::size_t sorted = 0;  ///< how many spans, from the front, are in key order

        std::string_view key(const Span& span) const {
            return std::string_view(bytes).substr(span.begin, span.size);
        }
        std::size_t memory() const {
            return sizeof(Batch) + bytes.size() + spans.size() * sizeof(Span);
        }
        bool writes_inside(const ReadSet& reads);
        bool writes_inside(const ReadSet::Range& range);
        void sort();
    };

    struct Pin {
        std::uint64_t version;
        std::weak_ptr<const VersionPin> pin;
    };

    void forget_oldest();

    std::size_t most_bytes_;
    std::deque<Batch> batches_;
    boost::unordered_flat_map<std::uint64_t, std::uint64_t, HashIsKey> written_;
    std::deque<Pin> pins_;
    std::uint64_t forgotten_ = 0;  ///< newest version that is no longer known
    std::size_t memory_ = 0;       ///< of the batches before the present one
    std::uint64_t grown_ = 0;
};

}  // namespace stele::sdk::optimistic
