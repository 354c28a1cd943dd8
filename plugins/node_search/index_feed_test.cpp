#include "search_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_search {

namespace {

using Nodes = std::vector<std::pair<std::string, std::string>>;

/// An index over a copy of a folder, made while it was in use: what a crash leaves behind.
struct Crashed {
    explicit Crashed(SearchWorld& before)
        : feed((copy(before.folder.path, folder.path), before.log), before.engine,
               folder.path / "search", {}) {}

    static void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
        std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
    }

    TestFolder folder;
    IndexFeed feed;
};

/// Two repositories: the only changeset of one of them has no end, that of the other one node.
class EndlessLog final : public sdk::ContentLog {
public:
    static constexpr sdk::ContentSpace kEndless{3, 1};
    static constexpr sdk::ContentSpace kShort{3, 2};

    bool is_told_again() const { return walks_ > 1; }
    /// Walks through the one without an end.
    int most_at_once() const { return most_at_once_; }

    sdk::Result<std::vector<sdk::ContentSpace>> spaces(const sdk::Reader&) override {
        return std::vector{kEndless, kShort};
    }
    sdk::Result<std::uint64_t> newest(const sdk::Reader&, const sdk::ContentSpace&) override {
        return std::uint64_t{1};
    }
    sdk::Result<void> for_each_after(
        const sdk::Reader&, const sdk::ContentSpace& space, std::uint64_t revision,
        const std::function<bool(const sdk::ContentVersion&)>& visit) override {
        if (revision > 0) return {};
        const bool is_endless = space == kEndless;
        if (is_endless) {
            ++walks_;
            most_at_once_ = std::max<int>(most_at_once_, ++at_once_);
        }
        sdk::ContentVersion version{1, 1, "a", 0, false, R"({"t":"apple"})"};
        for (std::size_t i = 0; visit(version) && is_endless; ++i)
            version.node = "n" + std::to_string(i);
        if (is_endless) --at_once_;
        return {};
    }
    sdk::Result<sdk::ContentView> view(const sdk::Reader&, const sdk::RecordKey&) override {
        return sdk::ContentView{};
    }
    sdk::Result<std::optional<sdk::ContentVersion>> shown(const sdk::Reader&,
                                                          const sdk::ContentView&,
                                                          std::string_view) override {
        return std::optional<sdk::ContentVersion>();
    }
    sdk::Result<std::optional<std::vector<std::string>>> written_on(const sdk::Reader&,
                                                                    const sdk::ContentSpace&,
                                                                    const sdk::ContentView::Link&,
                                                                    std::size_t) override {
        return std::optional<std::vector<std::string>>();
    }
    sdk::Result<std::string> attached_text(const sdk::Reader&, const sdk::ContentSpace&,
                                           const sdk::ContentVersion&, std::size_t) override {
        return std::string();
    }
    std::string watched_prefix(std::uint64_t) override { return {}; }

private:
    std::atomic<int> walks_ = 0;
    std::atomic<int> at_once_ = 0;
    std::atomic<int> most_at_once_ = 0;
};

Ids found_by(IndexFeed& feed, FakeContentLog& log, sdk::Engine& engine, const char* word) {
    const auto view = log.view(*engine.snapshot(), "1");
    const Expression expression{.kind = Expression::Kind::phrase, .words = {word}};
    const auto found = feed.find(*view, log.revision(), expression, 1000);
    if (!found) throw std::runtime_error(found.error().message + found.error().detail);
    Ids ids;
    for (const Candidate& candidate : found->best)
        ids.push_back(candidate.node);
    return ids;
}

}  // namespace

TEST_CASE("an index goes on where it last was on disk") {
    SearchWorld world;
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a"});
    REQUIRE(world.feed.commit().value());
    world.log.write(1, Nodes{{"b", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a", "b"});
    Crashed crashed(world);
    const std::size_t told = world.log.told();
    CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == Ids{"a", "b"});
    // The one that the mark is compared with, and the one that was lost.
    CHECK(world.log.told() - told == 2);
}

TEST_CASE("an index takes nothing new while its disk is full, and catches up later") {
    bool has_room = true;
    SearchWorld world({.has_room = [&] { return has_room; }});
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a"});
    has_room = false;
    CHECK(world.ids("apple") == Ids{"a"});
    world.log.write(1, Nodes{{"b", R"({"t":"apple"})"}});
    const std::size_t told = world.log.told();
    const auto refused = world.find("apple");
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "node_search.disk_full");
    CHECK(refused.error().kind == sdk::ErrorKind::unavailable);
    CHECK(world.log.told() == told);
    has_room = true;
    CHECK(world.ids("apple") == Ids{"a", "b"});
}

TEST_CASE("versions of a node that are on disk before the pass ends are not told twice") {
    SearchWorld world({.index = {.pending_documents = 1}});
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    world.log.write(1, Nodes{{"a", R"({"t":"apple pie"})"}});
    world.log.fail_after(2);
    world.log.write(1, Nodes{{"b", R"({"t":"pear"})"}});
    const auto early = world.log.fork(1, 1);
    CHECK_FALSE(world.feed.feed(FakeContentLog::kSpace).has_value());
    Crashed crashed(world);
    const auto view = world.log.view(*world.engine.snapshot(), std::to_string(early));
    const Expression apple{.kind = Expression::Kind::phrase, .words = {"apple"}};
    const auto found = crashed.feed.find(*view, world.log.revision(), apple, 10);
    REQUIRE(found.has_value());
    CHECK(found->total == 1);
}

TEST_CASE("a changeset that was half on disk is taken up again") {
    SearchWorld world({.index = {.pending_documents = 2}});
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a"});
    world.log.write(1, Nodes{{"b", R"({"t":"apple"})"},
                             {"a", R"({"t":"pear"})"},
                             {"c", R"({"t":"apple"})"},
                             {"d", R"({"t":"apple"})"}});
    world.log.fail_after(3);
    CHECK(world.find("apple").has_error());
    Crashed crashed(world);
    CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == Ids{"b", "c", "d"});
    CHECK(found_by(crashed.feed, world.log, world.engine, "pear") == Ids{"a"});
    CHECK(world.ids("apple") == Ids{"b", "c", "d"});
}

TEST_CASE("the removal of a repository takes the marks of others to disk with their documents") {
    const sdk::ContentSpace kept{3, 7};
    const TestFolder folder;
    const TestFolder crashed;
    NodeIndex index(folder.path / "search", {});
    REQUIRE(index.mark(kept).has_value());
    for (const std::uint64_t revision : {1, 2}) {
        sdk::ContentVersion version{1, revision, "a", revision - 1, false, R"({"t":"apple"})"};
        REQUIRE(index.write(kept, version, {}, false).has_value());
        REQUIRE(index.set_mark(kept, {revision, 0}).has_value());
    }
    REQUIRE(index.clear_some({3, 1}).value());
    Crashed::copy(folder.path, crashed.path);
    NodeIndex after(crashed.path / "search", {});
    CHECK(after.mark(kept).value().revision == 2);
}

TEST_CASE("a damaged index is built anew") {
    SearchWorld world;
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a"});
    REQUIRE(world.feed.commit().value());
    Crashed crashed(world);
    const auto folder = crashed.folder.path / "search";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const auto size = std::filesystem::file_size(file);
        std::ofstream(file.path()) << std::string(size, 'x');
    }
    CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == Ids{"a"});
}

TEST_CASE("an index whose files end too early is built anew") {
    SearchWorld world;
    // So many that each table has several blocks.
    Nodes nodes;
    Ids ids;
    for (int i = 1000; i < 2000; ++i) {
        ids.push_back(std::to_string(i));
        nodes.emplace_back(ids.back(), R"({"t":"apple )" + ids.back() + R"("})");
    }
    world.log.write(1, nodes);
    CHECK(world.ids("apple").size() == ids.size());
    REQUIRE(world.feed.commit().value());
    for (const char* table : {"position", "postlist", "termlist"}) {
        Crashed crashed(world);
        const auto file = crashed.folder.path / "search" / (std::string(table) + ".glass");
        const auto size = std::filesystem::file_size(file);
        REQUIRE(size > 8192);
        std::filesystem::resize_file(file, size / 2);
        INFO(table);
        CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == ids);
        world.log.write(1, Nodes{{ids.front(), R"({"t":"apple"})"}});
        CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == ids);
    }
}

TEST_CASE("an index of another history is built anew") {
    SearchWorld world;
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    world.log.write(1, Nodes{{"b", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a", "b"});
    REQUIRE(world.feed.commit().value());
    Crashed crashed(world);
    world.log.forget();
    world.log.write(1, Nodes{{"c", R"({"t":"apple"})"}});
    world.log.write(1, Nodes{{"d", R"({"t":"apple"})"}});
    CHECK(found_by(crashed.feed, world.log, world.engine, "apple") == Ids{"c", "d"});
}

TEST_CASE("the index of a repository that is gone goes, too") {
    SearchWorld world;
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"a"});
    REQUIRE(world.feed.keep_only({FakeContentLog::kSpace}).has_value());
    std::size_t told = world.log.told();
    CHECK(world.ids("apple") == Ids{"a"});
    CHECK(world.log.told() == told);
    REQUIRE(world.feed.keep_only({}).has_value());
    CHECK(world.ids("apple") == Ids{"a"});
    CHECK(world.log.told() == told + 1);
}

TEST_CASE("what an index has wrong is right after it was rebuilt, however long the history") {
    SearchWorld world({.documents_at_once = 10});
    Nodes nodes;
    for (int i = 10; i < 90; ++i)
        nodes.emplace_back(std::to_string(i), R"({"t":"apple"})");
    for (int changesets = 0; changesets < 10; ++changesets)
        world.log.write(1, nodes);
    CHECK(world.ids("apple").size() == 80);
    // The index cannot know of what its history says by now.
    world.log.attached["42"] = "pear";
    CHECK(world.ids("pear").empty());
    SearchContext context(world.engine);
    REQUIRE(world.search.rebuild(context, "1", {}).has_value());
    const std::size_t told = world.log.told();
    CHECK(world.ids("pear") == Ids{"42"});
    CHECK(world.ids("apple").size() == 80);
    CHECK(world.log.told() == told);
}

TEST_CASE("a rebuild that is stopped is ended by the next search") {
    SearchWorld world({.documents_at_once = 1});
    for (int i = 0; i < 3; ++i)
        world.log.write(1, Nodes{{std::to_string(i), R"({"t":"apple"})"}});
    CHECK(world.ids("apple").size() == 3);
    world.log.attached["1"] = "pear";
    SearchContext context(world.engine);
    const auto stopped = world.search.rebuild(context, "1", [] { return true; });
    REQUIRE(stopped.has_error());
    CHECK(stopped.error().code == "node_search.rebuild_stopped");
    CHECK(world.ids("pear") == Ids{"1"});
    CHECK(world.ids("apple").size() == 3);
}

TEST_CASE("nodes that are switched off are not found, from the version on that says so") {
    SearchWorld world;
    world.log.write(
        1, Nodes{{"a", R"({"t":"apple"})"},
                 {"b", R"({"t":"apple","_features":{"f:indexable":{}}})"},
                 {"c", R"({"t":"apple","_features":{"f:indexable":{"enabled":false}}})"},
                 {"d", R"({"t":"apple","_features":{"f:indexable":{"enabled":"false"}}})"}});
    CHECK(world.ids("apple") == Ids{"a", "b"});
    world.log.write(1,
                    Nodes{{"a", R"({"t":"apple","_features":{"f:indexable":{"enabled":false}}})"},
                          {"c", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"b", "c"});
}

TEST_CASE("a search does not wait forever for an index that is behind") {
    SearchWorld world({.documents_at_once = 1, .patience = std::chrono::milliseconds(-1)});
    for (int i = 0; i < 3; ++i)
        world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    const auto first = world.find("apple");
    REQUIRE(first.has_error());
    CHECK(first.error().code == "node_search.index_behind");
    CHECK(first.error().retry_after_seconds > 0);
    CHECK(world.find("apple").has_error());
    CHECK(world.ids("apple") == Ids{"a"});
}

TEST_CASE("a changeset without an end keeps nobody waiting who searches, feeds or stops") {
    TestFolder folder;
    sdk::testing::MemoryEngine engine;
    EndlessLog log;
    IndexFeed feed(log, engine, folder.path / "search",
                   {.documents_at_once = 10, .patience = std::chrono::milliseconds(50)});
    const Expression apple{.kind = Expression::Kind::phrase, .words = {"apple"}};
    const auto view = [](const sdk::ContentSpace& space) {
        return sdk::ContentView{space, {{1, 1}}};
    };
    const auto find = [&](const sdk::ContentSpace& space) {
        return feed.find(view(space), 1, apple, 10);
    };
    // Nobody else feeds, so that whoever searches does, and ends where it has no patience left.
    const auto late = find(EndlessLog::kEndless);
    REQUIRE(late.has_error());
    CHECK(late.error().code == "node_search.index_behind");

    std::atomic<bool> is_over = false;
    std::thread feeder([&] {
        while (!is_over)
            (void)feed.feed(EndlessLog::kEndless, [&] { return is_over.load(); });
    });
    while (!log.is_told_again())
        std::this_thread::yield();
    const auto found = find(EndlessLog::kShort);
    const auto behind = find(EndlessLog::kEndless);
    const auto committed = feed.commit();
    is_over = true;
    feeder.join();
    REQUIRE(found.has_value());
    CHECK(found->total == 1);
    REQUIRE(behind.has_error());
    CHECK(behind.error().code == "node_search.index_behind");
    CHECK(committed.has_value());
    CHECK(log.most_at_once() == 1);
}

TEST_CASE("a large changeset is whole in the index, whoever has had a turn meanwhile") {
    SearchWorld world({.documents_at_once = 3});
    Nodes nodes;
    for (int i = 0; i < 100; ++i)
        nodes.emplace_back("n" + std::to_string(i), R"({"t":"apple"})");
    world.log.write(1, nodes);
    REQUIRE(world.feed.feed(FakeContentLog::kSpace).value());
    CHECK(world.log.told() == 100);
    CHECK(world.find("apple")->total == 100);
    CHECK(world.log.told() == 100);
}

TEST_CASE("the follower feeds what was committed and has it on disk when it stops") {
    SearchWorld world;
    Follower follower(world.feed, world.log, world.engine);
    world.log.write(1, Nodes{{"a", R"({"t":"apple"})"}});
    const std::string key = sdk::KeyWriter(world.log.watched_prefix(3)).integer(7).key();
    const std::vector<std::string_view> others = {"other", ""};
    follower.notice({.keys = others});
    CHECK(world.log.told() == 0);
    const std::vector<std::string_view> keys = {"other", key};
    follower.notice({.keys = keys});
    for (int i = 0; i < 500 && world.log.told() == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    follower.stop();
    CHECK(world.log.told() == 1);
    CHECK_FALSE(world.feed.commit().value());
    CHECK(world.ids("apple") == Ids{"a"});
    CHECK(world.log.told() == 1);
}

TEST_CASE("the follower rests after a pass, unless it has been behind for too long") {
    constexpr std::chrono::hours kForEver(1);
    const bool has_patience = GENERATE(true, false);
    SearchWorld world({.documents_at_once = 1});
    const FollowerPace pace{.gathering = std::chrono::milliseconds(0),
                            .rests_per_work = 1'000'000'000,
                            .longest_rest = kForEver,
                            .longest_behind = has_patience ? kForEver : std::chrono::hours(-1)};
    Follower follower(world.feed, world.log, world.engine, pace);
    for (const char* node : {"a", "b", "c", "d", "e", "f"})
        world.log.write(1, Nodes{{node, R"({"t":"apple"})"}});
    const std::string key = sdk::KeyWriter(world.log.watched_prefix(3)).integer(7).key();
    const std::vector<std::string_view> keys = {key};
    follower.notice({.keys = keys});
    // A pass takes up one changeset and sees the next one; the last pass sees none.
    const std::size_t expected = has_patience ? 2 : 11;
    for (int i = 0; i < 500 && world.log.told() < expected; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    follower.stop();
    CHECK(world.log.told() == expected);
    CHECK(world.ids("apple").size() == 6);
}

}  // namespace stele::node_search
