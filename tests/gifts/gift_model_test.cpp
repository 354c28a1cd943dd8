// Nobody obtains more than somebody with that right gave them
// (docs/decisions/0045-gifts-are-measured-by-their-reach.md).
#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/gifts/gift_walk.hpp"
#include "tests/support/random_document.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr int kSequences = 8'500;
/// So many do each of the steps at least once, the rare ones, too. No short form runs fewer.
constexpr int kEnough = 4'000;

}  // namespace

TEST_CASE("nobody obtains more than somebody with that right gave them") {
    const char* const first = std::getenv("STELE_GIFT_SEED");
    const int count =
        static_cast<int>(stele::testing::test_cases(stele::testing::repetitions(kSequences)));
    const int begin = first ? std::atoi(first) : 1;
    GiftWalk walk;
    for (int number = begin; number < begin + count; ++number) {
        CAPTURE(number);
        if (const auto found = walk.sequence(static_cast<unsigned>(number))) FAIL(*found);
    }
    // The steps were no idle ones, else they would prove little.
    if (count < kEnough) return;
    CAPTURE(GiftSteps::succeeded());
    for (const char* route :
         {"POST /authorities/{authorityId}/grant", "POST /webhosts/{webhostId}/teams",
          "POST /domains/{domainId}/principals/{principalId}/members/add",
          "POST /domains/{domainId}/principals", "POST /access/policies/{accessPolicyId}/assign",
          "POST /stacks/{stackId}/datastores/assign", "POST /webhosts/{webhostId}/roles",
          "POST /webhosts/{webhostId}/teams/{teamKey}/authorities/{authorityId}/grant",
          "POST /auth/grants", "POST /auth/impersonate/{domainId}/{principalId}", "POST /export",
          "POST /domains/{domainId}/export", "POST /transfer/export", "import by hand",
          "import of an export", "POST /access/policies/system/{key}/assign"}) {
        CAPTURE(route);
        CHECK(GiftSteps::succeeded()[route] > 0);
    }
}

}  // namespace stele::kernel::gifts
