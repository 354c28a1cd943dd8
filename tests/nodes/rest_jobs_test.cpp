// Jobs that take away the rest of what went, or never came to be.
#include <map>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/services/jobs.hpp>

#include "branch/loading.hpp"
#include "family/sweep.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

/// Notes what kinds of jobs there are; starts none.
class ListedJobs final : public sdk::Jobs {
public:
    std::map<std::string, sdk::JobType> types;

    void define(sdk::JobType type) override {
        const std::string name = type.name;
        types.emplace(name, std::move(type));
    }
    sdk::Result<std::string> start(sdk::Context&, const sdk::NewJob&) override { return none(); }
    sdk::Result<sdk::Json> read(sdk::Context&, std::string_view) override { return none(); }
    sdk::Result<void> for_each(sdk::Context&, const std::vector<sdk::JobState>&,
                               const std::function<bool(const sdk::Json&)>&) override {
        return none();
    }
    sdk::Result<void> kill(sdk::Context&, std::string_view) override { return none(); }
    sdk::Result<sdk::Json> wait(const sdk::PlatformScope&, std::string_view,
                                std::chrono::milliseconds) override {
        return none();
    }

private:
    static sdk::Error none() { return sdk::make_error(sdk::ErrorKind::internal, "test.none", ""); }
};

/// One whose transactions fail.
class FailingJob final : public sdk::Job {
public:
    FailingJob(sdk::PlatformScope platform, sdk::Error error)
        : platform_(std::move(platform)), error_(std::move(error)) {}

    const std::string& id() const override { return text_; }
    const sdk::PlatformScope& platform() const override { return platform_; }
    const sdk::Principal& run_as() const override { return run_as_; }
    const sdk::Json& input() const override { return input_; }
    const sdk::Json& hidden() const override { return input_; }
    const std::string& secret() const override { return text_; }
    int attempt() const override { return 1; }
    bool must_stop() const override { return false; }
    sdk::Result<void> confirm(sdk::Transaction&) const override { return error_; }
    sdk::Result<void> finish(sdk::Transaction&, const sdk::Json&,
                             const std::vector<std::string>&) const override {
        return error_;
    }
    sdk::Result<void> progress(std::uint64_t, std::uint64_t) override { return {}; }
    sdk::Result<void> log(sdk::JobLogLevel, std::string_view) override { return {}; }

private:
    const sdk::PlatformScope platform_;
    const sdk::Error error_;
    const std::string text_;
    const sdk::Principal run_as_;
    const sdk::Json input_{{"repository", 1}, {"line", 2}};
};

}  // namespace

TEST_CASE("what takes a rest away is begun until it is gone, also on a disk that is full") {
    ContentWorld world;
    const nodes::Services& known = world.services();
    ListedJobs jobs;
    nodes::Services services{known.registrar,  known.rows, known.lists,
                             known.principals, jobs,       known.indexes};
    nodes::define_sweep(services);
    nodes::define_collection(services);
    REQUIRE(jobs.types.size() == 2);
    for (const auto& [name, type] : jobs.types) {
        INFO(name);
        // Five minutes lie between two attempts: years.
        CHECK(type.attempts > 1'000'000);
        CHECK_FALSE(type.is_of_starter);
        const auto kind_where = [&](sdk::ErrorKind kind) {
            FailingJob job(world.platform(), sdk::make_error(kind, "test.end", "it ends"));
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
