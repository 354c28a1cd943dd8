// Random histories of content against a model that is copied whole at every step: nodes,
// associations, queries, paths, trees, deletions, versions and counts, at tips and in the past.
// A failing seed runs alone with STELE_TEST_SEED=<seed>; with STELE_TEST_FIRST=<seed> they begin
// there.
#include <cstdlib>
#include <memory>

#include <catch2/catch.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "tests/nodes/random_content.hpp"
#include "tests/support/random_document.hpp"

namespace stele::tests {

namespace {

constexpr std::size_t kHistoriesInWorld = 100;
constexpr std::size_t kMaxSteps = 16;

std::size_t history_count() {
    return testing::test_cases(500) * (std::getenv("STELE_LONG") != nullptr ? 10 : 1);
}

void run_history(ContentWorld& world, const ModelBranch& base, std::uint64_t seed) {
    std::string story;
    try {
        RandomContent content(world, base, seed);
        try {
            RandomSource length(seed);
            for (std::size_t steps = 1 + length.below(kMaxSteps); steps > 0; --steps)
                content.step();
            content.compare_everything();
        } catch (...) {
            story = content.story();
            throw;
        }
    } catch (const std::exception& problem) {
        FAIL("STELE_TEST_SEED=" << seed << story << "\n" << problem.what());
    }
}

void check_store(ContentWorld& world) {
    world.kernel().documents.finish_index_builds();
    CHECK(kernel::resource::check_store(world.kernel()).empty());
}

}  // namespace

TEST_CASE("after any history content is what a model of it is, now and in the past") {
    const bool is_alone = std::getenv("STELE_TEST_SEED") != nullptr;
    const std::uint64_t first = is_alone ? testing::test_seed() : testing::first_test_case();
    const std::uint64_t end = is_alone ? first + 1 : first + history_count();
    std::unique_ptr<ContentWorld> world;
    ModelBranch base;
    for (std::uint64_t seed = first; seed < end; ++seed) {
        if ((seed - first) % kHistoriesInWorld == 0) {
            if (world) check_store(*world);
            world = std::make_unique<ContentWorld>();
            base = begin_content(*world);
        }
        run_history(*world, base, seed);
    }
    if (world) check_store(*world);
}

}  // namespace stele::tests
