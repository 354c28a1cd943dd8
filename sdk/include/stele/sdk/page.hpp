#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stele::sdk {

/// One key of a `sort` parameter, in the order written.
struct SortKey {
    std::string field;  ///< dotted path
    bool ascending = true;
};

enum class CaseFirst { unspecified, upper, lower };

/// Advanced sort options (docs/specification/interface.md 6).
struct SortOptions {
    /// Empty: plain code points. Otherwise as sent, for instance `de@collation=phonebook`.
    std::string locale;
    bool numeric_ordering = false;
    CaseFirst case_first = CaseFirst::unspecified;
};

/// Which slice of a result is wanted.
struct PageRequest {
    std::uint64_t skip = 0;
    /// -1: everything.
    std::int64_t limit = 1000;
    std::vector<SortKey> sort;
    SortOptions options;
    /// The reply says how the rows were found (docs/reference/query-language.md).
    bool explain = false;
};

}  // namespace stele::sdk
