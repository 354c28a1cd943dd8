#include "kernel/storage/query/query_problems.hpp"

#include <utility>

namespace stele::kernel::storage {

QueryProblems::Step::Step(QueryProblems& problems, std::string_view name)
    : problems_(problems), size_(problems.place_.size()) {
    if (size_ != 0) problems_.place_.push_back('.');
    problems_.place_.append(name);
}

void QueryProblems::add(std::string_view code, std::string message) {
    if (violations_.size() == kMax) return;
    violations_.push_back(
        {sdk::shown_path(place_), "query." + std::string(code), std::move(message)});
}

sdk::Error QueryProblems::take_error() {
    const sdk::Violation& first = violations_.front();
    std::string code = first.code;
    std::string message = "The query is wrong";
    if (!first.path.empty()) message += " at '" + first.path + "'";
    message += ": " + first.message;
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::invalid, std::move(code), std::move(message));
    error.violations = std::move(violations_);
    return error;
}

}  // namespace stele::kernel::storage
