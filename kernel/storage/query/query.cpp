#include "kernel/storage/query/query.hpp"

#include <nlohmann/json.hpp>

#include "kernel/pagination/scanned_text.hpp"
#include "kernel/storage/query/query_match.hpp"
#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_parser.hpp"
#include "kernel/storage/query/query_problems.hpp"
#include "kernel/storage/query/query_projection.hpp"

namespace stele::kernel::storage {

Query::Query() : root_(std::make_unique<Node>()) {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

sdk::Result<Query> Query::parse(const sdk::Json& document) {
    QueryProblems problems;
    Query query;
    *query.root_ = QueryParser(problems).parse(document);
    if (problems.is_empty() && document.contains("_fields"))
        query.projection_ = Projection::parse(*document.find("_fields"), problems);
    if (!problems.is_empty()) return problems.take_error();
    query.fast_match_ = FastMatch::make(*query.root_);
    return query;
}

bool Query::matches(std::string_view text) const {
    if (matches_everything()) return true;
    thread_local pagination::ScannedText scanned;
    scanned.set(text);
    return matches(scanned);
}

bool Query::matches(pagination::ScannedText& text) const {
    if (matches_everything()) return true;
    if (fast_match_) {
        if (const auto outcome = fast_match_->matches(text)) return *outcome;
    }
    return matches_node(*root_, text.text());
}

bool Query::matches_everything() const {
    return root_->operation == QueryOperator::all_of && root_->children.empty();
}

bool Query::has_projection() const {
    return projection_ != nullptr;
}

std::string Query::project(std::string_view text) const {
    return projection_ ? projection_->apply(text) : std::string(text);
}

}  // namespace stele::kernel::storage
