#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::storage {

/// A record that may belong to a result.
struct Candidate {
    /// Valid until the source moves on.
    std::string_view sequence;
    /// The record's bytes, when the source has them at hand.
    std::string_view stored;
    /// The record matches the query without a look at it.
    bool is_exact = false;
};

/// What a query cost so far.
struct RunCost {
    std::uint64_t entries = 0;
    std::uint64_t records = 0;
};

/// Hands out candidates, each record at most once.
class CandidateSource {
public:
    virtual ~CandidateSource();
    virtual sdk::Result<bool> next(Candidate& candidate) = 0;
};

struct ListedCandidate {
    std::array<char, kSequenceSize> sequence;
    bool is_exact;

    static ListedCandidate of(std::string_view sequence, bool is_exact);
    std::string_view view() const { return {sequence.data(), sequence.size()}; }
};

/// The records of a collection in creation order, with their bytes.
std::unique_ptr<CandidateSource> record_source(const sdk::Reader& reader, CollectionId collection,
                                               bool is_exact, RunCost& cost);
/// The sequences that end the keys of a range, in the order of the keys.
std::unique_ptr<CandidateSource> range_source(const sdk::Reader& reader, sdk::KeyRange range,
                                              bool is_exact, RunCost& cost);
/// Sorted into creation order, each sequence once; exact when one of its entries is. Counts what it
/// gives in `visited`, where there is one.
std::unique_ptr<CandidateSource> list_source(std::vector<ListedCandidate> candidates,
                                             std::uint64_t* visited = nullptr);
/// Ranges of one value each, whose sequences come in order, as one such range.
std::unique_ptr<CandidateSource> merged_source(const sdk::Reader& reader,
                                               const std::vector<sdk::KeyRange>& ranges,
                                               bool is_exact, RunCost& cost);

/// Entries whose keys are a prefix, then a value, then a sequence.
struct OrderedEntries {
    std::string prefix;
    sdk::KeyRange range;
    /// They are plain numbers with as many digits each, and to be ordered among texts.
    bool are_numbers_as_texts = false;

    /// All with the prefix.
    static OrderedEntries of(std::string prefix);
};
/// In the order of their values whatever the prefix; equal values in creation order for either
/// direction.
std::unique_ptr<CandidateSource> ordered_source(const sdk::Reader& reader,
                                                std::vector<OrderedEntries> entries,
                                                bool is_ascending, bool is_exact, RunCost& cost);
/// One source after the other; none has a record of another.
std::unique_ptr<CandidateSource> chained_source(
    std::vector<std::unique_ptr<CandidateSource>> sources);

}  // namespace stele::kernel::storage
