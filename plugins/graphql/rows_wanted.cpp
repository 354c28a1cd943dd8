#include <optional>
#include <utility>

#include "row_source.hpp"

namespace stele::graphql {

namespace {

sdk::Error wrong_argument(const std::string& name, const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "graphql.argument_invalid",
                           "argument \"" + name + "\" " + problem);
}

/// An object, or its text.
sdk::Result<sdk::Json> object_of(const std::string& name, const sdk::Json& value) {
    sdk::Json object = value;
    if (value.is_string()) {
        auto parsed = sdk::parse_json(value.get_ref<const std::string&>());
        if (!parsed) return wrong_argument(name, "is no JSON: " + parsed.error().message);
        object = *std::move(parsed);
    }
    if (!object.is_object()) return wrong_argument(name, "must be an object, or its text");
    return object;
}

sdk::Result<std::vector<sdk::SortKey>> sort_keys(const sdk::Json& value) {
    auto object = object_of("sort", value);
    if (!object) return object.error();
    std::vector<sdk::SortKey> keys;
    for (const auto& [field, direction] : object->items()) {
        const bool is_up = direction == 1;
        if (field.empty() || (!is_up && direction != -1))
            return wrong_argument("sort", "must give fields with 1 or -1");
        keys.push_back({field, is_up});
    }
    return keys;
}

}  // namespace

sdk::Result<RowsWanted> read_rows_wanted(std::string type, const sdk::Json& arguments) {
    RowsWanted wanted{.type = std::move(type)};
    for (const auto& [name, value] : arguments.items()) {
        if (value.is_null()) continue;
        if (name == "query") {
            auto query = object_of(name, value);
            if (!query) return query.error();
            wanted.query = *std::move(query);
            // What comes back is what is selected.
            wanted.query.erase("_fields");
        } else if (name == "search") {
            if (!value.is_string() && !value.is_object())
                return wrong_argument(name, "must be text or an object");
            wanted.search = value;
        } else if (name == "sort") {
            auto keys = sort_keys(value);
            if (!keys) return keys.error();
            wanted.sort = *std::move(keys);
        } else if (name == "skip") {
            const auto skip = value.get<std::int64_t>();
            if (skip < 0) return wrong_argument(name, "must not be negative");
            wanted.skip = static_cast<std::uint64_t>(skip);
        } else if (name == "limit") {
            wanted.limit = value.get<std::int64_t>();
            if (wanted.limit < -1) return wrong_argument(name, "must be -1, 0 or more");
        }
    }
    return wanted;
}

}  // namespace stele::graphql
