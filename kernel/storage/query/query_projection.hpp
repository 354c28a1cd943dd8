#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>

#include "kernel/storage/query/query_problems.hpp"

namespace stele::kernel::storage {

/// What `_fields` of a query selects: some fields, or all but some.
class Projection {
public:
    /// Nothing when everything comes back. Problems are noted at the present place.
    static std::unique_ptr<const Projection> parse(const sdk::Json& fields,
                                                   QueryProblems& problems);

    std::string apply(std::string_view text) const;

    /// A name, and what is named below it; a name without members is meant as a whole.
    struct Step {
        std::string name;
        std::vector<Step> members;
    };

private:
    bool is_inclusion_ = false;
    std::vector<Step> steps_;
};

}  // namespace stele::kernel::storage
