#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/job/job_record.hpp"
#include "kernel/job/job_store.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::job::testing {

using sdk::Json;
using sdk::KeyRange;
using sdk::Result;
using sdk::Transaction;

inline constexpr std::int64_t kNow = 1'800'000'000'000;
inline constexpr std::int64_t kLease = 30'000;
inline constexpr std::uint64_t kJobPlatform = 7;

/// A store of jobs, and what servers do with it.
struct StoredJobs {
    sdk::testing::MemoryEngine engine;
    JobStore store;

    Result<void> write(const std::function<Result<void>(Transaction&)>& work) {
        return sdk::write_with_retry(engine, work);
    }

    std::string add(const std::string& type = "export", int most_attempts = 3, std::int64_t due = 0,
                    std::uint64_t platform = kJobPlatform) {
        JobRecord record;
        record.id = new_job_id(kNow);
        record.type = type;
        record.platform = {platform, "platform-id", std::string("\0\xff", 2)};
        record.run_as.key = "\x01\x80";
        record.run_as.id = "u1";
        record.run_as.name = "joe";
        record.run_as.domain_id = "d1";
        record.most_attempts = most_attempts;
        record.due_ms = due;
        record.input = Json{{"path", "/a"}};
        REQUIRE(write([&](Transaction& transaction) {
                    return store.insert(transaction, record, kNow);
                }).has_value());
        return record.id;
    }

    std::optional<JobClaim> claim(const std::string& server = "s1", std::int64_t now = kNow,
                                  const std::string& type = "export") {
        const auto transaction = engine.begin();
        auto claimed =
            store.claim(*transaction, server, {[&](std::string_view name) { return name == type; }},
                        now, now + kLease);
        REQUIRE(claimed.has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        return *claimed;
    }

    int recover(std::int64_t now) {
        int count = 0;
        REQUIRE(write([&](Transaction& transaction) -> Result<void> {
                    count = store.recover(transaction, now).value();
                    return {};
                }).has_value());
        return count;
    }

    int wake() {
        int count = 0;
        REQUIRE(write([&](Transaction& transaction) -> Result<void> {
                    count = store.wake(transaction, kNow).value();
                    return {};
                }).has_value());
        return count;
    }

    JobRecord record(const std::string& id) {
        return store.read(*engine.snapshot(), kJobPlatform, id).value();
    }

    std::vector<std::string> ids(const std::vector<sdk::JobState>& states) {
        std::vector<std::string> found;
        REQUIRE(store
                    .for_each(*engine.snapshot(), kJobPlatform, states,
                              [&](const JobRecord& job) {
                                  found.push_back(job.id);
                                  return true;
                              })
                    .has_value());
        return found;
    }

    int count_keys(const KeyRange& range = {}) {
        int count = 0;
        const auto reader = engine.snapshot();
        for (auto cursor = reader->scan(range, sdk::ScanDirection::forward); cursor->is_valid();
             cursor->next()) {
            ++count;
        }
        return count;
    }

    void check_lost(const JobClaim& claim) {
        const auto lost = [](const Result<void>& result) {
            return result.has_error() && result.error().code == "job.lost";
        };
        CHECK(lost(store.confirm(*engine.snapshot(), claim)));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.renew(transaction, claim, kNow + 2 * kLease);
        })));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.finish(transaction, claim, Json::object(), {}, kNow);
        })));
        CHECK(lost(write(
            [&](Transaction& transaction) { return store.fail(transaction, claim, "x", kNow); })));
        CHECK(lost(write([&](Transaction& transaction) {
            return store.edit(
                transaction, claim, [](JobRecord&) {}, kNow);
        })));
    }
};

}  // namespace stele::kernel::job::testing
