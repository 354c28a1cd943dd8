// Binaries that come by loads (docs/decisions/0151-imports-of-large-branches.md).
#include <catch2/catch.hpp>

#include <stele/sdk/data_store.hpp>

#include "attachment/collected_loads.hpp"
#include "attachment/counted_bytes.hpp"
#include "kernel/resource/consistency/data_store_count.hpp"
#include "tests/nodes/listed_jobs.hpp"
#include "tests/nodes/load_world.hpp"

namespace stele::tests {

namespace {

/// As many different ones as there are nodes, but for two that have the same.
constexpr std::size_t kBinaries = kMany - 1;

std::string text_of(int node) {
    return "the text of " + std::to_string(node == 1 ? 0 : node);
}

/// More than one piece holds, each node with an attachment.
Items attached() {
    Items items = much();
    for (sdk::ContentItem& item : items) {
        if (!item.fields.contains("number")) continue;
        const int node = item.fields["number"].get<int>();
        sdk::ContentItem::File file;
        file.attachment.id = "default";
        file.attachment.file_name = "text.txt";
        file.attachment.content_type = "text/plain";
        file.open = [text = text_of(node)] {
            return sdk::Result<sdk::PieceSource>([left = text](std::string& piece) mutable {
                piece = std::exchange(left, {});
                return sdk::Result<void>();
            });
        };
        item.files.push_back(std::move(file));
    }
    return items;
}

struct Binaries : Loads {
    sdk::ContentSpace space() { return {place().platform, place().repository}; }
    std::size_t counted() { return rows_below(world, nodes::counted_rows(space())); }
    std::size_t waiting(nodes::Line line) {
        return rows_below(world, world.services().branches.space(place()).binaries(line));
    }
    sdk::DataStoreSize size() {
        sdk::DataStoreSize size;
        must(world.work(kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
            size = must(context.data_stores().size(branch));
            return {};
        }));
        return size;
    }
    /// Begins the job that looks after a load.
    void look_after(nodes::Line line) {
        ListedJobs jobs;
        nodes::Services services = services_with(world, jobs);
        nodes::define_collection(services);
        OneJob job(world.platform(), {{"repository", place().repository}, {"line", line}}, {});
        must(jobs.types.at("nodes.collect_load").run(job));
    }
};

}  // namespace

TEST_CASE("what an import has attached is in the store before it ends, and counts at its end") {
    Binaries binaries;
    const nodes::Line line = binaries.last_line() + 1;
    const std::size_t before = binaries.counted();
    const auto objects = binaries.size().objects;
    must(binaries.world.work(Binaries::kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
        ListedItems source(attached());
        must(binaries.transfer.import(context, source, {.branch = binaries.branch}));
        CHECK(binaries.waiting(line) > kBinaries / 2);
        const std::string rows = nodes::counted_rows(binaries.space());
        const auto own =
            context.transaction().scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
        CHECK(own->is_valid() == (before > 0));
        return {};
    }));
    CHECK(binaries.waiting(line) == kBinaries);
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
    const auto shown = binaries.size();
    CHECK(shown.objects > objects + static_cast<std::int64_t>(kBinaries + kMany));
    binaries.look_after(line);
    CHECK(binaries.waiting(line) == 0);
    CHECK(binaries.counted() == before + kBinaries);
    CHECK(binaries.size() == shown);
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
}

TEST_CASE("what others attach while it comes by an import counts once in the end") {
    Binaries binaries;
    const sdk::RecordKey fork = binaries.fork();
    const nodes::Line line = binaries.last_line() + 1;
    const std::string node = binaries.make(fork, {{"title", "on another branch"}});
    // What a first attachment makes is a conflict that comes once.
    binaries.attach(fork, node, "default", "something else");
    const Items items = attached();
    InterruptedItems source(items, 3 * items.size() - 1,
                            [&] { binaries.attach(fork, node, "default", text_of(5)); });
    must(binaries.world.work(Binaries::kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
        auto brought = binaries.transfer.import(context, source, {.branch = binaries.branch});
        return brought ? sdk::Result<void>() : brought.error();
    }));
    const auto twice = binaries.size();
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
    binaries.look_after(line);
    CHECK(binaries.size() ==
          sdk::DataStoreSize{twice.objects - 1,
                             twice.bytes - static_cast<std::int64_t>(text_of(5).size())});
    CHECK(binaries.counted() == kBinaries + 1);
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
    // Neither another load nor a write counts them again.
    const auto once = binaries.size();
    must(binaries.bring_in(attached(), {.branch = fork}));
    binaries.look_after(binaries.last_line());
    CHECK(binaries.counted() == kBinaries + 1);
    CHECK(binaries.size().objects < once.objects + static_cast<std::int64_t>(kBinaries + kMany));
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
}

TEST_CASE("binaries of an import that was given up count nowhere") {
    Binaries binaries;
    const std::size_t rows = binaries.content_rows();
    const std::size_t counted = binaries.counted();
    const auto size = binaries.size();
    nodes::BranchPlace place = binaries.place();
    place.line = binaries.last_line() + 1;
    const auto failed =
        binaries.world.work(Binaries::kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
            ListedItems source(attached());
            must(binaries.transfer.import(context, source, {.branch = binaries.branch}));
            CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
            return sdk::make_error(sdk::ErrorKind::conflict, "test.end", "it ends");
        });
    REQUIRE_FALSE(failed.has_value());
    CHECK(binaries.waiting(place.line) > kBinaries / 2);
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
    CHECK(binaries.collect_soon(place) > 0);
    binaries.look_after(place.line);
    CHECK(binaries.content_rows() == rows);
    CHECK(binaries.counted() == counted);
    CHECK(binaries.size() == size);
    CHECK(kernel::resource::check_store(binaries.world.kernel()).empty());
}

}  // namespace stele::tests
