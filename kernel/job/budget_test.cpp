#include "kernel/job/budget.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::job {

using namespace std::chrono_literals;

TEST_CASE("a budget ends with its time") {
    const std::atomic<bool> is_abandoned{false};
    CHECK(Budget(Budget::Clock::now() + 1h, is_abandoned).check());
    const auto spent = Budget(Budget::Clock::now() - 1ms, is_abandoned).check();
    REQUIRE_FALSE(spent);
    CHECK(spent.error().code == "http.budget_spent");
    CHECK(spent.error().kind == sdk::ErrorKind::unavailable);
}

TEST_CASE("a budget ends with its caller") {
    std::atomic<bool> is_abandoned{false};
    const Budget budget(Budget::Clock::now() + 1h, is_abandoned);
    is_abandoned = true;
    REQUIRE_FALSE(budget.check());
    CHECK(budget.check().error().code == "http.budget_spent");
}

TEST_CASE("work for nobody has no end, and a scope gives back what was before it") {
    std::atomic<bool> is_abandoned{true};
    const Budget spent(Budget::Clock::now() + 1h, is_abandoned);
    CHECK(Budget::check_current());
    {
        const Budget::Scope scope(&spent);
        CHECK_FALSE(Budget::check_current());
        {
            const Budget::Scope inner(nullptr);
            CHECK(Budget::check_current());
        }
        CHECK_FALSE(Budget::check_current());
    }
    CHECK(Budget::check_current());
}

}  // namespace stele::kernel::job
