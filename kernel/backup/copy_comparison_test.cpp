#include "kernel/backup/copy_comparison.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::backup {

namespace {

/// Bytes under names that need not fit them, as after damage.
class NamedBlobs final : public sdk::BlobStore {
public:
    std::map<std::string, std::string, std::less<>> contents;

    sdk::Result<std::unique_ptr<Writer>> create() override { return no_blob(); }
    sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) override {
        const auto found = contents.find(name);
        if (found == contents.end()) return no_blob();
        return std::unique_ptr<Reader>(std::make_unique<TextReader>(found->second));
    }
    sdk::Result<bool> exists(std::string_view name) override { return contents.contains(name); }
    sdk::Result<void> remove(std::string_view) override { return no_blob(); }
    sdk::Result<void> for_each(const std::function<void(std::string_view name)>& visit) override {
        for (const auto& [name, content] : contents)
            visit(name);
        return {};
    }

private:
    class TextReader final : public Reader {
    public:
        explicit TextReader(const std::string& text) : text_(text) {}
        std::uint64_t size() const override { return text_.size(); }
        sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override {
            out = text_.substr(std::min<std::size_t>(offset, text_.size()), limit);
            return {};
        }

    private:
        const std::string& text_;
    };

    static sdk::Error no_blob() {
        return sdk::make_error(sdk::ErrorKind::not_found, "blob.unknown", "There is none.");
    }
};

struct Store {
    sdk::testing::MemoryEngine engine;
    NamedBlobs blobs;
    CopySide side() { return {engine, blobs}; }

    void put(std::string_view key, std::string_view value) {
        const auto transaction = engine.begin();
        transaction->put(key, value);
        REQUIRE(sdk::commit_and_wait(*transaction));
    }
    void remove(std::string_view key) {
        const auto transaction = engine.begin();
        transaction->remove(key);
        REQUIRE(sdk::commit_and_wait(*transaction));
    }
};

struct Pair {
    Pair() {
        for (Store* store : {&source, &target}) {
            store->put("a", "1");
            store->put("b", "2");
            store->blobs.contents = {{"empty", ""}, {"short", "bytes"}};
            // More than is read at a time.
            store->blobs.contents["long"] = std::string(600'000, 'x');
        }
        target.put("marker", "ignored");
    }

    bool is_equal() {
        CopySummary summary;
        const auto compared = compare_stores(source.side(), target.side(), "marker", summary);
        if (compared) return summary.entries == 2 && summary.blobs == 3;
        CHECK(compared.error().code == "copy.differs");
        return false;
    }

    Store source;
    Store target;
};

}  // namespace

TEST_CASE("a copy is equal with every entry and blob, its marker aside") {
    Pair pair;
    CHECK(pair.is_equal());
    // What only the target has is nobody's, and collected later.
    pair.target.blobs.contents["more"] = "bytes";
    CHECK(pair.is_equal());
}

TEST_CASE("an entry that the copy lacks, has besides or has otherwise is a difference") {
    const std::vector<std::function<void(Store&)>> changes{
        [](Store& target) { target.remove("a"); }, [](Store& target) { target.remove("b"); },
        [](Store& target) { target.put("c", "3"); }, [](Store& target) { target.put("", "0"); },
        [](Store& target) { target.put("b", "3"); },
        // The bytes of all entries in a row stay the same.
        [](Store& target) {
            target.remove("a");
            target.put("a1", "");
        }};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        INFO("change " << i);
        Pair pair;
        changes[i](pair.target);
        CHECK_FALSE(pair.is_equal());
    }
}

TEST_CASE("a blob that the copy lacks, or has shorter, longer or otherwise, is a difference") {
    const std::string whole(600'000, 'x');
    std::string changed = whole;
    changed[599'999] = 'y';
    const std::vector<std::pair<std::string, std::optional<std::string>>> changes{
        {"long", std::nullopt},        {"empty", std::nullopt}, {"long", whole.substr(1)},
        {"long", whole + "x"},         {"long", changed},       {"short", ""},
        {"short", "bytes and others"}, {"empty", "bytes"}};
    for (const auto& [name, content] : changes) {
        INFO(name << " of " << (content ? std::to_string(content->size()) : "no") << " bytes");
        Pair pair;
        pair.target.blobs.contents.erase(name);
        if (content) pair.target.blobs.contents[name] = *content;
        CHECK_FALSE(pair.is_equal());
    }
}

}  // namespace stele::kernel::backup
