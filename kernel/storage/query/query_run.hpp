#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

/// Which records of a collection a caller may see.
struct Visibility {
    /// Every record: counts come from counters.
    bool is_everything = true;
    /// Otherwise: exactly these, when known beforehand; sorted by sequence.
    std::optional<std::vector<Sequence>> only;
    /// Otherwise: those that this accepts.
    std::function<sdk::Result<bool>(const Record&)> accepts;
};

/// What would have made a query cheap.
struct WantedIndex {
    std::vector<std::string> members;
    /// Entries and records.
    std::uint64_t looked_at = 0;
    std::uint64_t rows = 0;
};

/// One running query: hands out the rows of the wanted page one by one, so that a page of any size
/// needs little memory.
class QueryRun {
public:
    virtual ~QueryRun();
    /// The next row of the page; false after the last. `row` keeps its buffer between calls.
    /// `unavailable` (`query.time_spent`) when it was worked on for too long.
    virtual sdk::Result<bool> next(Record& row) = 0;
    /// Work goes on after a pause, for another piece of the answer: its time begins anew.
    virtual void resume() = 0;
    /// All visible matches, whatever skip and limit say. After the last row only.
    virtual sdk::Result<std::uint64_t> total_rows() = 0;
    /// Which indexes serve the query, how many entries and records were looked at
    /// (docs/reference/query-language.md). Complete after `total_rows`.
    virtual sdk::Json explain() const = 0;
    /// The index that would have made the query at least ten times cheaper, where it was costly and
    /// clients make the indexes. Complete after `total_rows`.
    virtual std::optional<WantedIndex> wanted_index() const = 0;
};

}  // namespace stele::kernel::storage
