#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "request.hpp"
#include "schema_builder.hpp"

namespace stele::graphql::testing {

/// Rows in memory; of the arguments it knows the type, equality in the query, skip and limit.
class FakeRows final : public RowSource {
public:
    explicit FakeRows(std::vector<sdk::Json> rows) : all_(std::move(rows)) {}

    sdk::Result<std::vector<sdk::Json>> rows(const RowsWanted& wanted) override {
        last = wanted;
        if (failure) return *failure;
        std::vector<sdk::Json> found;
        std::uint64_t skipped = 0;
        for (const sdk::Json& row : all_) {
            bool fits = row.value("_type", "") == wanted.type;
            for (const auto& [name, value] : wanted.query.items())
                fits = fits && row.contains(name) && row.at(name) == value;
            if (!fits || skipped++ < wanted.skip) continue;
            if (wanted.limit >= 0 && found.size() == static_cast<std::size_t>(wanted.limit)) break;
            found.push_back(row);
        }
        return found;
    }

    sdk::Result<sdk::Json> row(std::string_view type, const std::string& id) override {
        for (const sdk::Json& row : all_) {
            if (row.value("_doc", "") == id && (type.empty() || row.value("_type", "") == type))
                return row;
        }
        return sdk::Json();
    }

    std::string_view bound() const override { return {}; }

    RowsWanted last;
    std::optional<sdk::Error> failure;

private:
    std::vector<sdk::Json> all_;
};

inline sdk::Json book(const char* id, const char* title, sdk::Json more = sdk::Json::object()) {
    sdk::Json row = {{"_doc", id},
                     {"_qname", std::string("o:") + id},
                     {"_type", "custom:book"},
                     {"_is_association", false},
                     {"title", title}};
    row.update(more);
    return row;
}

/// A type with properties of every kind, and two books.
class Library {
public:
    Library()
        : schema(build_schema({sdk::Json::parse(R"({"_qname": "custom:book", "properties": {
              "pages": {"type": "integer"}, "price": {"type": "number"},
              "in-print": {"type": "boolean"},
              "author": {"type": "object", "properties": {"name": {"type": "string"}}},
              "tags": {"type": "array", "items": {"type": "string"}}, "extra": {}}})")})),
          rows({book("b1", "One", sdk::Json::parse(R"({"pages": 10, "price": 2.5, "in-print": true,
              "author": {"name": "Ann"}, "tags": ["a", "b"], "extra": {"x": [1]}})")),
                book("b2", "Two", {{"pages", 20}})}) {}

    sdk::Json answer(const std::string& query, sdk::Json variables = nullptr,
                     const std::string& operation = {}) {
        auto answered = answer_request(schema, {query, operation, std::move(variables)}, rows);
        return answered ? *answered : sdk::Json(answered.error().code);
    }

    /// What is selected, where nothing is wrong.
    sdk::Json data(const std::string& query, sdk::Json variables = nullptr) {
        const sdk::Json whole = answer(query, std::move(variables));
        return whole.contains("errors") ? whole : whole.at("data");
    }

    /// The code of the first problem.
    std::string problem(const std::string& query, sdk::Json variables = nullptr) {
        const sdk::Json whole = answer(query, std::move(variables));
        if (!whole.contains("errors")) return whole.dump();
        return whole["errors"][0]["extensions"]["code"].get<std::string>();
    }

    Schema schema;
    FakeRows rows;
};

}  // namespace stele::graphql::testing
