// What an export knows of the records that a container holds.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/error.hpp>

#include "paths/kept_keys.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::archives {

TEST_CASE("keys come in the order in which they were added, however many there are") {
    for (const int count : {0, 1, 1000, 1001, 30'000}) {
        const testing::TemporaryFolder folder;
        KeptKeys keys(folder.path());
        std::vector<sdk::RecordKey> added;
        for (int i = 0; i < count; ++i) {
            added.push_back("k" + std::to_string(i));
            REQUIRE(keys.add(added.back()).has_value());
        }
        std::vector<sdk::RecordKey> walked;
        REQUIRE(keys.for_each([&walked](const sdk::RecordKey& key) {
                        walked.push_back(key);
                        return sdk::Result<void>();
                    })
                    .has_value());
        CHECK(walked == added);
    }
}

TEST_CASE("a walk through keys ends with the failure of a visit") {
    for (const int last : {3, 1500}) {
        KeptKeys keys({});
        for (int i = 0; i < 2000; ++i)
            REQUIRE(keys.add("k" + std::to_string(i)).has_value());
        int visits = 0;
        const auto walked = keys.for_each([&](const sdk::RecordKey&) -> sdk::Result<void> {
            if (++visits < last) return {};
            return sdk::make_error(sdk::ErrorKind::unavailable, "job.stopped", "it was stopped");
        });
        REQUIRE(walked.has_error());
        CHECK(visits == last);
    }
}

}  // namespace stele::archives
