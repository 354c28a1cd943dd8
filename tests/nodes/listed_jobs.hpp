#pragma once

#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/services/jobs.hpp>

#include "tests/nodes/content_world.hpp"

namespace stele::tests {

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

/// One that is run by hand; what becomes of its transactions is said beforehand.
class OneJob final : public sdk::Job {
public:
    OneJob(sdk::PlatformScope platform, sdk::Json input, sdk::Result<void> held)
        : platform_(std::move(platform)), held_(std::move(held)), input_(std::move(input)) {}

    const std::string& id() const override { return text_; }
    const sdk::PlatformScope& platform() const override { return platform_; }
    const sdk::Principal& run_as() const override { return run_as_; }
    const sdk::Json& input() const override { return input_; }
    const sdk::Json& hidden() const override { return input_; }
    const std::string& secret() const override { return text_; }
    int attempt() const override { return 1; }
    bool must_stop() const override { return false; }
    sdk::Result<void> confirm(sdk::Transaction&) const override { return held_; }
    sdk::Result<void> finish(sdk::Transaction&, const sdk::Json&,
                             const std::vector<std::string>&) const override {
        return held_;
    }
    sdk::Result<void> progress(const sdk::JobProgress&) override { return {}; }
    sdk::Result<void> log(sdk::JobLogLevel, std::string_view) override { return {}; }

private:
    const sdk::PlatformScope platform_;
    const sdk::Result<void> held_;
    const std::string text_;
    const sdk::Principal run_as_;
    const sdk::Json input_;
};

/// The services of a world but for its jobs.
inline nodes::Services services_with(ContentWorld& world, sdk::Jobs& jobs) {
    const nodes::Services& known = world.services();
    return {known.registrar, known.rows, known.lists, known.principals, jobs, known.indexes};
}

}  // namespace stele::tests
