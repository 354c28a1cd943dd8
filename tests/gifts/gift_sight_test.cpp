// A walk that finds nothing proves something only if it would find what is there to be found
// (docs/decisions/0080-a-walk-that-finds-what-is-missing.md).
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/gifts/gift_checks.hpp"
#include "tests/gifts/gift_walk.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr unsigned kSequences = 10'000;

struct MissingCheck {
    Check check;
    const char* name;
    /// Part of a step that led to what was won.
    std::string_view step;
};

constexpr MissingCheck kMissing[] = {
    {Check::team_of_platform, "team of the platform", "POST /teams/{teamKey}/authorities/"},
    {Check::team_of_store, "team of a store", "Id}/teams/{teamKey}/authorities/"},
    {Check::membership, "membership", "members/add"},
    {Check::policy, "policy", "/access/policies"},
    {Check::credentials, "credentials", ""},
    {Check::plain_grant, "plain grant", "/authorities/{authorityId}/grant"},
    {Check::departure, "departure", ""},
    {Check::store_into_stack, "store into a stack", "/datastores/assign"},
    {Check::open_store, "open store", "enableAuthorities"},
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
        // An import does by the same checks what the steps do.
        CHECK_THAT(*found,
                   Catch::Contains(std::string(missing.step)) || Catch::Contains("/import "));
        INFO(*found);
        CHECK(walk.sequence(number) == std::nullopt);
    }
}

}  // namespace stele::kernel::gifts
