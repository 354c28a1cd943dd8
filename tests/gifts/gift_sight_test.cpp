// A walk that finds nothing proves something only if it would find what is there to be found
// (docs/decisions/0080-a-walk-that-finds-what-is-missing.md).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/gifts/gift_checks.hpp"
#include "tests/gifts/gift_walk.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr unsigned kSequences = 10'000;
constexpr std::string_view kImport = "/import ";

struct MissingCheck {
    Check check;
    const char* name;
    /// Parts of steps, one of which led to what was won. An import does by the same checks what the
    /// steps do.
    std::vector<std::string_view> steps;
};

const MissingCheck kMissing[] = {
    {Check::team_of_platform,
     "team of the platform",
     {"POST /teams/{teamKey}/authorities/", kImport}},
    {Check::team_of_store, "team of a store", {"Id}/teams/{teamKey}/authorities/", kImport}},
    {Check::membership, "membership", {"members/add", "users/invite", kImport}},
    {Check::policy, "policy", {"/access/policies", kImport}},
    {Check::credentials, "credentials", {""}},
    {Check::plain_grant, "plain grant", {"/authorities/{authorityId}/grant", kImport}},
    {Check::departure, "departure", {""}},
    {Check::store_into_stack, "store into a stack", {"/datastores/assign", kImport}},
    {Check::open_store, "open store", {"enableAuthorities", kImport}},
};

}  // namespace

TEST_CASE("the random walk finds each check that is taken out, and nothing where it is there") {
    GiftWalk walk;
    for (const MissingCheck& missing : kMissing) {
        CAPTURE(missing.name);
        std::optional<std::string> found;
        unsigned number = 0;
        while (!found && number < kSequences) {
            const CheckTakenOut taken_out(missing.check);
            found = walk.sequence(++number);
        }
        CHECK(found.has_value());
        if (!found) continue;
        CAPTURE(*found);
        CHECK(std::any_of(missing.steps.begin(), missing.steps.end(), [&](std::string_view step) {
            return found->find(step) != std::string::npos;
        }));
        CHECK(walk.sequence(number) == std::nullopt);
    }
}

}  // namespace stele::kernel::gifts
