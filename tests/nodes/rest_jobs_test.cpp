// Jobs that take away the rest of what went, or never came to be.
#include <catch2/catch.hpp>

#include "attachment/collected_loads.hpp"
#include "family/sweep.hpp"
#include "tests/nodes/listed_jobs.hpp"

namespace stele::tests {

TEST_CASE("what takes a rest away is begun until it is gone, also on a disk that is full") {
    ContentWorld world;
    ListedJobs jobs;
    nodes::Services services = services_with(world, jobs);
    nodes::define_sweep(services);
    nodes::define_collection(services);
    REQUIRE(jobs.types.size() == 2);
    for (const auto& [name, type] : jobs.types) {
        INFO(name);
        // Five minutes lie between two attempts: years.
        CHECK(type.attempts > 1'000'000);
        CHECK_FALSE(type.is_of_starter);
        const auto kind_where = [&](sdk::ErrorKind kind) {
            OneJob job(world.platform(), {{"repository", 1}, {"line", 2}},
                       sdk::make_error(kind, "test.end", "it ends"));
            const auto done = type.run(job);
            REQUIRE_FALSE(done.has_value());
            CHECK(done.error().code == "test.end");
            return done.error().kind;
        };
        CHECK(kind_where(sdk::ErrorKind::storage_full) == sdk::ErrorKind::unavailable);
        CHECK(kind_where(sdk::ErrorKind::internal) == sdk::ErrorKind::internal);
    }
}

}  // namespace stele::tests
