#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/error.hpp>

namespace stele::kernel::storage {

/// Collects what is wrong with a query while it is parsed, each problem with its place
/// (`config.port.$gtt`, `$or.1.title`).
class QueryProblems {
public:
    /// The place goes one step deeper while this object lives.
    class Step {
    public:
        Step(QueryProblems& problems, std::string_view name);
        ~Step() { problems_.place_.resize(size_); }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        QueryProblems& problems_;
        std::size_t size_;
    };

    /// Notes a problem at the present place. `code` is without its area: `operator_unknown`.
    void add(std::string_view code, std::string message);

    bool is_empty() const { return violations_.empty(); }
    /// At least one problem. The error has the code of the first.
    sdk::Error take_error();

private:
    // More would not help anybody to mend the query.
    static constexpr std::size_t kMax = 20;

    std::string place_;
    sdk::Violations violations_;
};

}  // namespace stele::kernel::storage
