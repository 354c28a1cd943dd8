#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/audit/audit_log.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::audit {

TEST_CASE("trimming ends when nothing is left that is too old, and takes nothing younger") {
    constexpr std::int64_t kHourMs = 3'600'000;
    constexpr std::uint64_t kEntries = 450;  // several times what one transaction removes
    sdk::testing::MemoryEngine engine;
    storage::NameTable names(engine);
    storage::DocumentStore documents(engine, names);
    const storage::CollectionRules rules;
    AuditLog log(engine, documents, rules, {true, std::chrono::hours(1)});
    const sdk::PlatformScope platform{.number = 7, .id = "seven", .root = "root"};
    const auto count = [&] {
        const auto reader = engine.snapshot();
        const auto collection =
            documents.find_collection(*reader, platform.number, kActivityType, {});
        return documents.count(*reader, collection.value().value()).value();
    };
    const auto written =
        sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            Activity activity;
            activity.type = "create";
            for (std::uint64_t i = 0; i < kEntries; ++i) {
                auto added = log.write(transaction, platform, activity);
                if (!added) return added;
            }
            return {};
        });
    REQUIRE(written);
    REQUIRE(count() == kEntries);

    REQUIRE(log.trim(platform.number, sdk::now_ms() + kHourMs / 2));
    CHECK(count() == kEntries);
    REQUIRE(log.trim(platform.number, sdk::now_ms() + 2 * kHourMs));
    CHECK(count() == 0);
}

}  // namespace stele::kernel::audit
