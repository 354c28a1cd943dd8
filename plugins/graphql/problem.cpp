#include "problem.hpp"

namespace stele::graphql {

sdk::Json problem_rows(const Problems& problems) {
    sdk::Json rows = sdk::Json::array();
    for (const Problem& problem : problems) {
        sdk::Json row = {{"message", problem.message}};
        for (const Place& place : problem.places)
            row["locations"].push_back({{"line", place.line}, {"column", place.column}});
        if (problem.path.is_array()) row["path"] = problem.path;
        row["extensions"] = {{"code", problem.code}};
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace stele::graphql
