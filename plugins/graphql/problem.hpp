#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::graphql {

/// Where something stands in a query, both counted from 1.
struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
};

/// One entry of the `errors` of an answer.
struct Problem {
    std::string code;
    std::string message;
    std::vector<Place> places = {};
    /// Response keys and places in lists, of problems that came up while executing.
    sdk::Json path = nullptr;
};

using Problems = std::vector<Problem>;

sdk::Json problem_rows(const Problems& problems);

}  // namespace stele::graphql
