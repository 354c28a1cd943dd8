// What others do while an import goes into the store
// (docs/decisions/0151-imports-of-large-branches.md).
#include <catch2/catch.hpp>

#include <stele/sdk/optimistic/commit_history.hpp>

#include "tests/nodes/load_world.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::tests {

namespace {

/// Commits that have nothing to do with content fill so much of the history of commits.
std::size_t fill_history(sdk::Engine& engine, std::size_t mebibytes) {
    constexpr std::size_t kKeySize = 1024 * 1024;
    for (std::size_t i = 0; i < mebibytes; ++i) {
        must(sdk::write_with_retry(engine, [](sdk::Transaction& transaction) {
            transaction.put(std::string(kKeySize, '\xfe'), {});
            return sdk::Result<void>();
        }));
    }
    return mebibytes * kKeySize;
}

}  // namespace

TEST_CASE("whoever writes to the branch meanwhile is in the way of a load") {
    Loads loads;
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        ListedItems source(many());
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        if (!brought) return sdk::Result<void>(brought.error());
        loads.make(loads.branch, {{"title", "meanwhile"}});
        return sdk::Result<void>();
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "engine.conflict");
    CHECK(loads.count(loads.branch, {{"title", "meanwhile"}}) == 1);
    CHECK(loads.count(loads.branch, {{"number", {{"$gte", 0}}}}) == 0);
}

TEST_CASE("a load ends early where somebody writes to its branch") {
    Loads loads;
    const Items items = much();
    InterruptedItems source(items, 2 * items.size() + 100, [&] {
        loads.make(loads.branch, {{"title", "meanwhile"}});
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "engine.conflict");
    CHECK(done.error().detail == "a branch was written while content was loaded into it");
    CHECK(loads.numbered(loads.branch) == 0);
}

TEST_CASE("a load ends early where its branch leads elsewhere") {
    Loads loads;
    const Items items = much();
    const auto fails_early = [&](const sdk::RecordKey& branch, const std::function<void()>& rival) {
        std::size_t handed = 0;
        InterruptedItems source(items, [&](std::size_t position) {
            handed = position;
            if (position == 2 * items.size() + 100) rival();
        });
        const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
            auto brought = loads.transfer.import(context, source, {.branch = branch});
            return brought ? sdk::Result<void>() : brought.error();
        });
        REQUIRE_FALSE(done.has_value());
        CHECK(done.error().code == "engine.conflict");
        CHECK(done.error().detail ==
              "a branch was reset, loaded or removed while content was loaded");
        CHECK(handed < 3 * items.size() - 1);
    };
    SECTION("to another load") {
        fails_early(loads.branch, [&] { must(loads.bring_in(many(), {.branch = loads.branch})); });
        CHECK(loads.numbered(loads.branch) == kMany);
    }
    SECTION("to where it was before") {
        loads.make(loads.branch, {{"title", "last"}});
        fails_early(loads.branch, [&] {
            must(sdk::write_with_retry(
                loads.world.services().registrar.engine(),
                [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                    auto reset = loads.world.services().branches.fork(
                        transaction, transaction, loads.branch, loads.place(),
                        {loads.place().line, *nodes::revision_of(loads.tip(loads.branch)) - 1});
                    return reset ? sdk::Result<void>() : reset.error();
                }));
        });
        CHECK(loads.numbered(loads.branch) == 0);
        CHECK(loads.count(loads.branch, {{"title", "last"}}) == 0);
    }
    SECTION("to nothing") {
        const sdk::RecordKey fork = loads.fork();
        fails_early(fork, [&] {
            must(loads.world.ask(TransferWorld::kAnn,
                                 {.method = "DELETE",
                                  .path = "/{branchId}",
                                  .values = {std::string(sdk::space_record_id(fork))}}));
        });
        CHECK(loads.numbered(loads.branch) == 0);
    }
}

TEST_CASE("a load ends early where something that the operation goes by was changed") {
    Loads loads;
    const Items items = much();
    sdk::Engine& engine = loads.world.services().registrar.engine();
    const std::string key = "\xfd something else";
    std::size_t handed = 0;
    // Where it is looked at, and where it comes.
    const std::size_t when = GENERATE(std::size_t{0}, std::size_t{2});
    InterruptedItems source(items, [&](std::size_t position) {
        handed = position;
        if (position != when * items.size() + 100) return;
        must(sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) {
            transaction.put(key, "changed");
            return sdk::Result<void>();
        }));
        fill_history(engine, 32);
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        must(context.transaction().get(key));
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "engine.conflict");
    CHECK(handed == when * items.size() + 100);
    CHECK(loads.numbered(loads.branch) == 0);
}

TEST_CASE("a load that rests is not collected while it lives") {
    Loads loads;
    constexpr std::chrono::hours kLater{24};
    const Items items = much();
    nodes::BranchPlace place = loads.place();
    place.line = loads.last_line() + 1;
    std::size_t looks = 0;
    const std::size_t rows = loads.content_rows();
    InterruptedItems source(items, [&](std::size_t position) {
        const bool is_third_walk = position / items.size() == 2;
        if (!is_third_walk || position % 50 != 0) return;
        ++looks;
        CHECK(loads.collect(place, kLater) == 0);
    });
    const auto attempt = [&](bool succeeds) {
        return loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
            auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
            if (!brought) return sdk::Result<void>(brought.error());
            CHECK(loads.content_rows() > rows + 200);
            CHECK(loads.collect(place, kLater) == 0);
            if (succeeds) return sdk::Result<void>();
            return sdk::Result<void>(
                sdk::make_error(sdk::ErrorKind::conflict, "test.end", "it ends"));
        });
    };
    SECTION("and it is shown then") {
        const auto done = attempt(true);
        if (!done) FAIL(done.error().code + " " + done.error().message + " " + done.error().detail);
        CHECK(looks > 3);
        CHECK(loads.collect(place, kLater) == 1);
        CHECK(loads.numbered(loads.branch) == kMany);
    }
    SECTION("but then it is, where it was given up") {
        CHECK(attempt(false).error().code == "test.end");
        CHECK(loads.collect(place, kLater) > 0);
        CHECK(loads.content_rows() == rows);
    }
}

TEST_CASE("nobody sees a load before its end, and others write, fork and read meanwhile") {
    Loads loads;
    const sdk::RecordKey other = loads.world.add_repository();
    const sdk::RecordKey before = loads.fork();
    const std::string tip = loads.tip(loads.branch);
    sdk::RecordKey forked;
    const Items items = much();
    const std::size_t rows = loads.content_rows();
    InterruptedItems source(items, 2 * items.size() + 200, [&] {
        CHECK(loads.content_rows() > rows + 200);
        CHECK(loads.numbered(loads.branch) == 0);
        CHECK(loads.tip(loads.branch) == tip);
        loads.make(other, {{"title", "elsewhere"}});
        for (int i = 0; i < 100; ++i)
            loads.make(before, {{"title", "on another branch"}});
        forked = loads.fork();
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    if (!done) FAIL(done.error().code + " " + done.error().message + " " + done.error().detail);
    CHECK(loads.numbered(loads.branch) == kMany);
    CHECK(loads.numbered(before) == 0);
    CHECK(loads.numbered(forked) == 0);
    CHECK(loads.count(before, {{"title", "on another branch"}}) == 100);
    loads.make(forked, {{"number", 1}});
    CHECK(loads.numbered(forked) == 1);
    CHECK(loads.numbered(loads.branch) == kMany);
}

TEST_CASE("others may write more than the history of commits holds while something is loaded") {
    Loads loads;
    const Items items = much();
    sdk::Engine& engine = loads.world.services().registrar.engine();
    constexpr std::size_t kEvery = 26;
    // Where it is looked at, where it comes, and what the operation does after that.
    static constexpr std::size_t kAfterwards = 9;
    // Sanitized, one of them takes minutes.
    const auto whens = stele::testing::repetitions(4) == 1
                           ? std::vector<std::size_t>{2}
                           : std::vector<std::size_t>{0, 2, kAfterwards};
    const std::size_t when = GENERATE_REF(from_range(whens));
    CAPTURE(when);
    std::size_t written = 0;
    const auto write = [&] { written += fill_history(engine, 8); };
    InterruptedItems source(items, [&](std::size_t position) {
        if (position / items.size() == when && position % kEvery == 0) write();
    });
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        for (std::size_t i = 0; when == kAfterwards && i < items.size() / kEvery; ++i) {
            write();
            if (auto moved = loads.transfer.move_on(context); !moved) return moved;
        }
        return brought ? sdk::Result<void>() : brought.error();
    });
    CHECK(written > sdk::optimistic::CommitHistory::kMaxBytes);
    if (!done) FAIL(done.error().code + " " + done.error().message);
    CHECK(loads.numbered(loads.branch) == kMany);
}

TEST_CASE("others may write more than the history of commits holds while one attachment comes") {
    Loads loads;
    sdk::Engine& engine = loads.world.services().registrar.engine();
    constexpr std::size_t kPiece = std::size_t{4} << 20;
    std::size_t written = 0;
    Items items = many();
    sdk::ContentItem::File file;
    file.attachment.id = "default";
    file.attachment.content_type = "application/octet-stream";
    file.open = [&] {
        return sdk::Result<sdk::PieceSource>([&, pieces = 10](std::string& piece) mutable {
            piece.assign(pieces-- > 0 ? kPiece : 0, 'x');
            if (!piece.empty()) written += fill_history(engine, 8);
            return sdk::Result<void>();
        });
    };
    items[kMany / 2].files.push_back(file);
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        ListedItems source(items);
        auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
        return brought ? sdk::Result<void>() : brought.error();
    });
    CHECK(written > sdk::optimistic::CommitHistory::kMaxBytes);
    if (!done) FAIL(done.error().code + " " + done.error().message);
    CHECK(loads.numbered(loads.branch) == kMany);
}

TEST_CASE("what a fork shows is found there when its parent lost it while the import is planned") {
    Loads loads;
    std::vector<std::string> persons;
    Items items;
    for (const std::size_t user : {std::size_t{0}, std::size_t{1}}) {
        loads.change(
            loads.branch,
            [&](const nodes::BranchContent& content) {
                persons.push_back(must(content.ensure_person(content.principal())));
                items.push_back(item_of({{"_doc", "person" + std::to_string(user)},
                                         {"_type", "n:person"},
                                         {"principal-domain", content.principal().domain_id},
                                         {"principal-id", content.principal().id}}));
            },
            user);
    }
    const sdk::RecordKey fork = loads.fork();
    sdk::Engine& engine = loads.world.services().registrar.engine();
    InterruptedItems source(items, 1, [&] {
        loads.remove(loads.branch, persons.back());
        fill_history(engine, 32);
    });
    std::uint64_t skipped = 0;
    const auto done = loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
        auto brought = loads.transfer.import(context, source, {.branch = fork});
        if (brought) skipped = brought->skipped;
        return brought ? sdk::Result<void>() : brought.error();
    });
    if (!done) FAIL(done.error().code + " " + done.error().message);
    CHECK(skipped == 2);
    CHECK(loads.count(fork, {{"_type", "n:person"}}) == 2);
    CHECK(loads.count(loads.branch, {{"_type", "n:person"}}) == 1);
}

TEST_CASE("of two loads in one repository neither is in the way of the other") {
    Loads loads;
    const sdk::RecordKey fork = loads.fork();
    const nodes::Revision before = *nodes::revision_of(loads.tip(fork));
    const auto nested = [&](const std::function<void()>& between) {
        ListedItems source(many());
        return loads.world.work(TransferWorld::kAnn, [&](sdk::Context& context) {
            auto brought = loads.transfer.import(context, source, {.branch = loads.branch});
            if (!brought) return sdk::Result<void>(brought.error());
            auto others = loads.bring_in(many(), {.branch = fork});
            if (!others) return sdk::Result<void>(others.error());
            between();
            return sdk::Result<void>();
        });
    };
    // The one that is there first ends last.
    const auto done = nested([&] { CHECK(loads.numbered(fork) == kMany); });
    if (!done) FAIL(done.error().code + " " + done.error().message + " " + done.error().detail);
    CHECK(loads.numbered(loads.branch) == kMany);
    CHECK(loads.numbered(fork) == kMany);
    // The one that is there first ends first.
    {
        auto& kernel = loads.world.kernel();
        const auto begin = [&] {
            return std::make_unique<kernel::resource::WorkContext>(
                kernel, std::make_shared<sdk::Session>(
                            kernel::resource::system_session(loads.world.platform())));
        };
        const auto first = begin();
        const auto second = begin();
        ListedItems source(many());
        must(loads.transfer.import(*first, source, {.branch = loads.branch}));
        must(loads.transfer.import(*second, source, {.branch = fork}));
        for (auto* const context : {first.get(), second.get()}) {
            must(context->finish());
            must(sdk::commit_and_wait(context->transaction()));
        }
    }
    CHECK(loads.numbered(loads.branch) == 2 * kMany);
    CHECK(loads.numbered(fork) == 2 * kMany);
    CHECK(*nodes::revision_of(loads.tip(loads.branch)) == before + 3);
    CHECK(*nodes::revision_of(loads.tip(fork)) == before + 4);
}

TEST_CASE("after some attempts what may be held is held, and what is more is given up") {
    Loads loads;
    nodes::ImportBounds& bounds = loads.world.services().import_bounds;
    ListedItems source(many());
    const nodes::Line line = loads.last_line();
    CHECK(loads.attempt(bounds.loads_of_held - 1, source).has_value());
    CHECK(loads.last_line() == line + 1);
    CHECK(loads.attempt(bounds.loads_of_held, source).has_value());
    CHECK(loads.last_line() == line + 1);
    CHECK(loads.numbered(loads.branch) == 2 * kMany);
    bounds.most_held = kMany;
    CHECK(loads.attempt(bounds.loads_of_held, source).has_value());
    CHECK(loads.last_line() == line + 2);
    const auto failed = loads.attempt(bounds.loads, source);
    REQUIRE(failed.has_error());
    CHECK(failed.error().kind == sdk::ErrorKind::conflict);
    CHECK(failed.error().code == "nodes.import_overtaken");
    const std::string name = sdk::space_record_id(loads.branch);
    CHECK(failed.error().message.find("branch://") != std::string::npos);
    CHECK(failed.error().message.find(name) != std::string::npos);
    CHECK(loads.numbered(loads.branch) == 3 * kMany);
}

}  // namespace stele::tests
