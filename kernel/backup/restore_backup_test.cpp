#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/backup/backup.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::backup {

namespace {

using sdk::testing::MemoryEngine;
using Entries = std::vector<std::pair<std::string, std::string>>;

const storage::BlobProviders kNoBlobs;

Entries entries_of(MemoryEngine& engine) {
    Entries entries;
    const auto reader = engine.snapshot();
    for (const auto cursor = reader->scan({}, sdk::ScanDirection::forward); cursor->is_valid();
         cursor->next())
        entries.emplace_back(cursor->key(), cursor->value());
    return entries;
}

/// Of several transactions' size.
void fill(MemoryEngine& engine, char content) {
    const auto transaction = engine.begin();
    for (int i = 100; i < 150; ++i)
        transaction->put("entry " + std::to_string(i), std::string(100'000, content));
    REQUIRE(sdk::commit_and_wait(*transaction));
}

std::string backup_of(MemoryEngine& engine) {
    std::string bytes;
    const auto written = write_backup(engine, kNoBlobs, {}, [&](std::string_view piece) {
        bytes += piece;
        return sdk::Result<void>();
    });
    REQUIRE(written.has_value());
    return bytes;
}

/// Restores as much of a backup as there is of it.
sdk::Result<BackupSummary> restore(MemoryEngine& engine, std::string_view bytes) {
    const RestoreTarget target{engine, kNoBlobs, {}};
    return restore_backup(target, [&](std::size_t limit, std::string& out) {
        out = bytes.substr(0, limit);
        bytes.remove_prefix(out.size());
        return sdk::Result<void>();
    });
}

struct BrokenOff {
    BrokenOff() {
        fill(source, 'a');
        backup = backup_of(source);
        const auto restored = restore(target, std::string_view(backup).substr(0, 3'000'000));
        CHECK(restored.error().code == "backup.damaged");
        CHECK_FALSE(entries_of(target).empty());
    }

    MemoryEngine source;
    std::string backup;
    MemoryEngine target;
};

}  // namespace

TEST_CASE("a restore that broke off keeps the store closed until the same backup is restored") {
    BrokenOff broken;
    CHECK(check_restored(*broken.target.snapshot()).error().code == "backup.restore_unfinished");

    const auto restored = restore(broken.target, broken.backup);
    REQUIRE(restored.has_value());
    CHECK(restored->was_resumed);
    CHECK(restored->entries == 50);
    CHECK(entries_of(broken.target) == entries_of(broken.source));
    CHECK(check_restored(*broken.target.snapshot()));
}

TEST_CASE("a restore that broke off does not go on with another backup") {
    BrokenOff broken;
    MemoryEngine other;
    fill(other, 'b');
    const auto present = entries_of(broken.target);
    // Another one of the very same store is another backup, too.
    for (const std::string& backup : {backup_of(other), backup_of(broken.source)})
        CHECK(restore(broken.target, backup).error().code == "backup.target_not_empty");
    CHECK(entries_of(broken.target) == present);
}

TEST_CASE("a backup is restored into an empty store only") {
    MemoryEngine engine;
    fill(engine, 'a');
    const auto present = entries_of(engine);
    CHECK(restore(engine, backup_of(engine)).error().code == "backup.target_not_empty");
    CHECK(entries_of(engine) == present);
}

}  // namespace stele::kernel::backup
