#pragma once

#include <cstddef>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Asks now and then, in walks over rows that read no documents, whether the work may go on
/// (docs/decisions/0065-costs-end-with-their-caller.md).
class Pace {
public:
    explicit Pace(const sdk::Context& context) : context_(context) {}

    /// Once for each row; the first one asks.
    sdk::Result<void> step() {
        return steps_++ % kRowsBetween == 0 ? context_.go_on() : sdk::Result<void>();
    }

private:
    static constexpr std::size_t kRowsBetween = 256;

    const sdk::Context& context_;
    std::size_t steps_ = 0;
};

/// A visitor of edges that stops when the work may not go on; `pace` and `status` outlive it.
template <class Visit>
auto paced(Pace& pace, sdk::Result<void>& status, Visit visit) {
    return [&pace, &status, visit](const auto& row) {
        status = pace.step();
        return status && visit(row);
    };
}

}  // namespace stele::nodes
