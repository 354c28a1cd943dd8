// What views of deep lines read in the store, counted.
#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "layered_cursor.hpp"
#include "line_writer.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::nodes {

namespace {

Keeping entries_only(std::string_view) {
    return Keeping::entry;
}

/// Counts what is looked up and how many cursors are opened.
class MeteredReader final : public sdk::Reader {
public:
    explicit MeteredReader(const sdk::Reader& below) : below_(below) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        ++gets;
        return below_.get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        ++gets;
        return below_.get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        ++cursors;
        return below_.scan(std::move(range), direction);
    }

    mutable std::size_t gets = 0;
    mutable std::size_t cursors = 0;

private:
    const sdk::Reader& below_;
};

/// Each of its cursors fails after some steps.
class BreakingReader final : public sdk::Reader {
public:
    BreakingReader(const sdk::Reader& below, std::size_t steps) : below_(below), steps_(steps) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return below_.get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return below_.get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return std::make_unique<Cursor>(below_.scan(std::move(range), direction), steps_);
    }

private:
    class Cursor final : public sdk::Cursor {
    public:
        Cursor(std::unique_ptr<sdk::Cursor> below, std::size_t left)
            : below_(std::move(below)), left_(left) {}
        bool is_valid() const override { return left_ > 0 && below_->is_valid(); }
        std::string_view key() const override { return below_->key(); }
        std::string_view value() const override { return below_->value(); }
        void next() override {
            below_->next();
            if (below_->is_valid()) --left_;
        }
        void seek(std::string_view key) override { below_->seek(key); }
        sdk::Result<void> status() const override {
            if (left_ > 0) return below_->status();
            return sdk::make_error(sdk::ErrorKind::internal, "test.broken", "a block is broken");
        }

    private:
        std::unique_ptr<sdk::Cursor> below_;
        std::size_t left_;
    };

    const sdk::Reader& below_;
    const std::size_t steps_;
};

/// A chain of forks: the first line has entries of the kinds `aa` and `bb`, each other one an entry
/// of `aa`.
class DeepLines {
public:
    static constexpr Line kDepth = 10;

    DeepLines() {
        write(kFirstLine, "aa-first", "1");
        write(kFirstLine, "bb-first", "1");
        for (Line line = kFirstLine + 1; line <= kDepth; ++line) {
            const auto transaction = engine_.begin();
            const View parent = find_view(*transaction, space_, line - 1).value();
            REQUIRE(put_line(*transaction, *transaction, space_, line, {line - 1, parent.newest})
                        .has_value());
            REQUIRE(sdk::commit_and_wait(*transaction).has_value());
            write(line, "aa-" + std::to_string(line), "1");
        }
    }

    Revision write(Line line, const std::string& key, const std::string& value) {
        const auto transaction = engine_.begin();
        LineWriter writer(*transaction, space_, find_view(*transaction, space_, line).value());
        writer.put(key, value);
        REQUIRE(writer.finish("").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        return transaction->stamp(space_.revision_counter()).value();
    }

    sdk::Engine& engine() { return engine_; }
    const VersionSpace& space() const { return space_; }

    struct Cost {
        std::size_t gets = 0;
        std::size_t cursors = 0;
        std::size_t entries = 0;

        bool operator==(const Cost&) const = default;
    };
    /// Of a scan of what begins so, on a line, by a view that has read nothing before.
    Cost scan(Line line, const std::string& prefix) {
        return measure(line, [&](const ViewReader& view) {
            std::size_t entries = 0;
            const auto cursor =
                view.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
            for (; cursor->is_valid(); cursor->next())
                ++entries;
            REQUIRE(cursor->status().has_value());
            return entries;
        });
    }
    Cost get(Line line, const std::string& key) {
        return measure(line, [&](const ViewReader& view) {
            return static_cast<std::size_t>(view.get(key).value().has_value());
        });
    }

private:
    template <class Read>
    Cost measure(Line line, const Read& read) {
        const auto snapshot = engine_.snapshot();
        const View view = find_view(*snapshot, space_, line).value();
        const MeteredReader meter(*snapshot);
        const std::size_t entries = read(ViewReader(meter, space_, view));
        return {meter.gets, meter.cursors, entries};
    }

    sdk::testing::MemoryEngine engine_;
    VersionCache cache_;
    VersionSpace space_{"space/", entries_only, cache_};
};

using Cost = DeepLines::Cost;

}  // namespace

TEST_CASE("a scan looks only where a line of a view may have something to show") {
    DeepLines lines;
    CHECK(lines.scan(1, "bb") == Cost{.gets = 0, .cursors = 1, .entries = 1});
    // Nine lines of it are asked what kinds of entries they have.
    CHECK(lines.scan(10, "bb-none") == Cost{.gets = 9, .cursors = 2, .entries = 0});
    CHECK(lines.scan(10, "bb") == Cost{.gets = 9, .cursors = 2, .entries = 1});
    CHECK(lines.scan(10, "aa") == Cost{.gets = 9, .cursors = 10, .entries = 10});

    // What begins in a parent after the fork is not looked for.
    lines.write(5, "cc-late", "1");
    CHECK(lines.scan(10, "cc") == Cost{.gets = 9, .cursors = 1, .entries = 0});
    CHECK(lines.get(10, "cc-late") == Cost{.gets = 10, .cursors = 0, .entries = 0});
    CHECK(lines.scan(5, "cc") == Cost{.gets = 4, .cursors = 1, .entries = 1});

    // What ends there is looked for in its past, for that kind.
    lines.write(1, "bb-first", "2");
    CHECK(lines.scan(10, "bb") == Cost{.gets = 9, .cursors = 3, .entries = 1});
    CHECK(lines.scan(10, "aa") == Cost{.gets = 9, .cursors = 10, .entries = 10});
    CHECK(lines.scan(1, "bb") == Cost{.gets = 0, .cursors = 1, .entries = 1});
}

TEST_CASE("a scan that fails among entries that a view does not show tells so") {
    DeepLines lines;
    // Behind the fork, so that it has to be passed by.
    for (const char* name : {"bb-a", "bb-b", "bb-c"})
        lines.write(1, name, "1");
    const auto snapshot = lines.engine().snapshot();
    const View view = find_view(*snapshot, lines.space(), 2).value();
    const BreakingReader breaking(*snapshot, 2);
    const ViewReader fork(breaking, lines.space(), view);
    const auto cursor = fork.scan({"bb", "bc"}, sdk::ScanDirection::forward);
    CHECK_FALSE(cursor->is_valid());
    REQUIRE_FALSE(cursor->status().has_value());
    CHECK(cursor->status().error().code == "test.broken");
}

TEST_CASE("an entry is looked up without a cursor while nothing has ended") {
    DeepLines lines;
    CHECK(lines.get(1, "bb-first") == Cost{.gets = 1, .cursors = 0, .entries = 1});
    CHECK(lines.get(10, "bb-first") == Cost{.gets = 11, .cursors = 0, .entries = 1});
    CHECK(lines.get(10, "aa-first") == Cost{.gets = 19, .cursors = 0, .entries = 1});
    CHECK(lines.get(10, "cc-none") == Cost{.gets = 10, .cursors = 0, .entries = 0});
    lines.write(1, "bb-first", "2");
    CHECK(lines.get(10, "bb-first") == Cost{.gets = 11, .cursors = 1, .entries = 1});
    CHECK(lines.get(10, "aa-first") == Cost{.gets = 19, .cursors = 0, .entries = 1});
}

TEST_CASE("a view that was read before the transaction ended an entry shows it still") {
    DeepLines lines;
    const auto transaction = lines.engine().begin();
    const View before = find_view(*transaction, lines.space(), kFirstLine, 2).value();
    const ViewReader past(*transaction, lines.space(), before);
    CHECK(past.get("bb-first").value() == "1");
    LineWriter writer(*transaction, lines.space(),
                      find_view(*transaction, lines.space(), kFirstLine).value());
    writer.remove("bb-first");
    CHECK_FALSE(writer.get("bb-first").value().has_value());
    CHECK(past.get("bb-first").value() == "1");
}

TEST_CASE("a view of a deep line reads nothing that was read before") {
    sdk::testing::MemoryEngine engine;
    VersionCache cache;
    const VersionSpace space("space/", entries_only, cache);
    constexpr Line kDepth = 10;
    for (Line line = kFirstLine + 1; line <= kDepth; ++line) {
        const auto transaction = engine.begin();
        REQUIRE(put_line(*transaction, *transaction, space, line, {line - 1, 0}).has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    }
    const auto snapshot = engine.snapshot();
    const MeteredReader reader(*snapshot);
    REQUIRE(find_view(reader, space, kDepth).value().links.size() == kDepth);
    CHECK(reader.gets == kDepth);
    REQUIRE(find_view(reader, space, kDepth).value().links.size() == kDepth);
    CHECK(reader.gets == kDepth + 1);

    const auto transaction = engine.begin();
    REQUIRE(put_line(*transaction, *transaction, space, kDepth + 1, {kDepth, 0}).has_value());
    REQUIRE(find_view(*transaction, space, kDepth + 1).has_value());
    // It was not committed, so nobody must remember it.
    const auto found = find_view(*engine.snapshot(), space, kDepth + 1);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code == "nodes.branch_line_unknown");
}

}  // namespace stele::nodes
