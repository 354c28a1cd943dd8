// Nobody obtains more than somebody with that right gave them
// (docs/decisions/0045-gifts-are-measured-by-their-reach.md).
#include <algorithm>
#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/gifts/gift_steps.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr int kSequences = 10'000;
constexpr int kSteps = 8;

/// A sequence as it came to pass, for the report of a failure.
std::string story_of(const std::vector<std::string>& told) {
    std::string story;
    for (const std::string& one : told)
        story += "\n  " + one;
    return story;
}

/// After a step: everybody has at most what they had, and what the caller had.
void expect_nothing_won(const GiftWorld& world, const GiftWorld::Table& before,
                        const GiftWorld::Table& after, const sdk::RecordKey& caller) {
    for (const auto& [place, held] : after) {
        const sdk::PermissionSet allowed = before.at(place) | before.at({caller, place.second});
        if (allowed.contains(held)) continue;
        sdk::PermissionSet won = held;
        won -= allowed;
        const auto index_of = [](const auto& keys, const sdk::RecordKey& key) {
            return std::find(keys.begin(), keys.end(), key) - keys.begin();
        };
        FAIL("principal " << index_of(world.principals, place.first) << " won " << won.bits()
                          << " on record " << index_of(world.records, place.second));
    }
}

/// Whoever acts as somebody has what that one has.
void expect_covered(const GiftWorld& world, const GiftWorld::Table& before,
                    const sdk::RecordKey& caller, const sdk::RecordKey& taken) {
    for (const sdk::RecordKey& record : world.records) {
        if (before.at({caller, record}).contains(before.at({taken, record}))) continue;
        FAIL("the caller took over a principal with more rights on record "
             << (std::find(world.records.begin(), world.records.end(), record) -
                 world.records.begin()));
    }
}

/// A new principal is in groups by the caller's doing.
void expect_given(const GiftWorld& world, const GiftWorld::Table& before,
                  const sdk::RecordKey& caller, const sdk::RecordKey& made) {
    const auto reader = GiftServer::instance().rooms().engine->snapshot();
    for (const sdk::RecordKey& record : world.records) {
        if (before.at({caller, record}).contains(world.permissions(*reader, made, record)))
            continue;
        FAIL("a new principal has more than who made it on record "
             << (std::find(world.records.begin(), world.records.end(), record) -
                 world.records.begin()));
    }
}

void run_sequence(unsigned seed) {
    std::mt19937 random(seed);
    GiftWorld world(random);
    GiftSteps steps(world, random);
    GiftWorld::Table before = world.table();
    std::vector<std::string> told;
    for (int step = 0; step < kSteps; ++step) {
        const Person& caller = world.users[random() % 2 == 0 ? 0 : random() % world.actor_count()];
        const auto taken = steps.take(caller);
        if (!taken) continue;
        told.push_back(steps.told());
        INFO("sequence " << seed << ", of which succeeded:" << story_of(told));
        const GiftWorld::Table after = world.table();
        expect_nothing_won(world, before, after, caller.key());
        if (taken->principal) expect_covered(world, before, caller.key(), *taken->principal);
        if (taken->made) expect_given(world, before, caller.key(), *taken->made);
        before = after;
    }
    world.leave();
}

}  // namespace

TEST_CASE("Nobody obtains more than somebody with that right gave them") {
    const char* const first = std::getenv("STELE_GIFT_SEED");
    const char* const cases = std::getenv("STELE_TEST_CASES");
    const int count = cases ? std::atoi(cases) : stele::testing::repetitions(kSequences);
    const int begin = first ? std::atoi(first) : 1;
    for (int seed = begin; seed < begin + count; ++seed)
        run_sequence(static_cast<unsigned>(seed));
    // The steps were no idle ones, else they would prove little.
    if (count < 1000) return;
    CAPTURE(GiftSteps::succeeded());
    for (const char* route :
         {"POST /authorities/{authorityId}/grant", "POST /webhosts/{webhostId}/teams",
          "POST /domains/{domainId}/principals/{principalId}/members/add",
          "POST /domains/{domainId}/principals", "POST /access/policies/{accessPolicyId}/assign",
          "POST /stacks/{stackId}/datastores/assign", "POST /webhosts/{webhostId}/roles",
          "POST /webhosts/{webhostId}/teams/{teamKey}/authorities/{authorityId}/grant",
          "POST /auth/grants", "POST /auth/impersonate/{domainId}/{principalId}"}) {
        CAPTURE(route);
        CHECK(GiftSteps::succeeded()[route] > 0);
    }
}

}  // namespace stele::kernel::gifts
