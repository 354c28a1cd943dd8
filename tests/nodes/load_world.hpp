#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/record_space.hpp>
#include <stele/sdk/time.hpp>

#include "branch/branch_store.hpp"
#include "branch/loading.hpp"
#include "branch/vocabulary.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "tests/nodes/transfer_world.hpp"

namespace stele::tests {

/// More than are held in memory: here that is half of them.
inline constexpr int kMany = 240;

/// Nodes in a chain of folders, some of which name one another.
inline Items many(int count = kMany) {
    Items items{item_of(
        {{"_doc", "type"},
         {"_type", "d:type"},
         {"_qname", "orc:fruit"},
         {"properties", {{"near", {{"type", "object"}, {"_relator", sdk::Json::object()}}}}}})};
    const auto id = [](int i) { return "n" + std::to_string(i); };
    for (int i = 0; i < count; ++i) {
        sdk::Json fields = {{"_doc", id(i)}, {"title", id(i)}, {"number", i}};
        if (i % 3 == 0) fields["_type"] = "orc:fruit";
        if (i % 6 == 0 && i > 0) fields["near"] = {{"id", id(i - 1)}, {"typeQName", "n:node"}};
        items.push_back(item_of(std::move(fields)));
    }
    for (int i = 1; i < count; i += 4)
        items.push_back(association_of("l" + std::to_string(i), "a:child", id(i / 8), id(i)));
    return items;
}

/// Rows of the store below a prefix.
inline std::size_t rows_below(ContentWorld& world, const std::string& prefix) {
    const auto reader = world.services().registrar.engine().snapshot();
    const auto cursor =
        reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::size_t count = 0;
    for (; cursor->is_valid(); cursor->next())
        ++count;
    return count;
}

/// Items that let others do something before they are handed over, by their number in all walks
/// together.
class InterruptedItems final : public sdk::ContentSource {
public:
    using Interrupt = std::function<void(std::size_t position)>;

    InterruptedItems(Items items, Interrupt interrupt)
        : items_(std::move(items)), interrupt_(std::move(interrupt)) {}
    InterruptedItems(Items items, std::size_t where, const std::function<void()>& interrupt)
        : InterruptedItems(std::move(items), [where, interrupt](std::size_t position) {
              if (position == where) interrupt();
          }) {}
    sdk::Result<void> for_each(const Visit& visit) override {
        for (const sdk::ContentItem& item : items_) {
            interrupt_(position_++);
            if (auto visited = visit(item); !visited) return visited;
        }
        return {};
    }

private:
    const Items items_;
    const Interrupt interrupt_;
    std::size_t position_ = 0;
};

/// The same with more than one piece holds, of letters in no order, which packing does not make
/// fewer. Nodes come in the third walk of all.
inline Items much() {
    Items items = many();
    std::mt19937 random(1);
    for (sdk::ContentItem& item : items) {
        if (!item.fields.contains("number")) continue;
        std::string text(100'000, '\0');
        for (char& letter : text)
            letter = static_cast<char>('a' + random() % 26);
        item.fields["text"] = std::move(text);
    }
    return items;
}

struct Loads : TransferWorld {
    Loads() {
        world.services().import_bounds.few = kMany / 2;
        // Names of members get numbers where they are first used, and it is noted where somebody
        // first owns something: conflicts that come once. What was changed in a later millisecond
        // than it was made has other members in common.
        const std::string node =
            make(branch, {{"title", "first"}, {"text", "x"}, {"near", sdk::Json::object()}});
        const std::int64_t made_ms = sdk::now_ms();
        while (sdk::now_ms() == made_ms)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        change(branch, [&](const nodes::BranchContent& content) {
            must(content.context().documents().patch(content.nodes(), node, {{"title", "again"}}));
        });
        must(bring_in(many(20), {.branch = world.add_repository()}));
    }
    sdk::RecordKey fork() {
        auto made = must(world.ask(
            kAnn, {.method = "POST",
                   .path = "",
                   .values = {},
                   .parameters = {{"branch", world.master()}, {"changeset", tip(branch)}}}));
        return world.branch_key(sdk::text_member(made, "_doc"));
    }
    std::size_t numbered(const sdk::RecordKey& where) {
        return count(where, {{"number", {{"$gte", 0}}}});
    }
    /// The import in a context that has met conflicts so often before.
    sdk::Result<sdk::ContentReport> attempt(std::size_t number, sdk::ContentSource& source,
                                            bool is_kept = true) {
        auto& kernel = world.kernel();
        auto session =
            std::make_shared<sdk::Session>(kernel::resource::system_session(world.platform()));
        kernel::resource::WorkContext context(kernel, session,
                                              kernel::resource::WorkContext::begin(kernel, number));
        auto brought = transfer.import(context, source, {.branch = branch});
        if (!brought || !is_kept) return brought;
        must(context.finish());
        auto committed = sdk::commit_and_wait(context.transaction());
        if (!committed) return committed.error();
        return brought;
    }
    nodes::Line last_line() {
        nodes::Line last = 0;
        const auto reader = world.services().registrar.engine().snapshot();
        must(world.services().branches.for_each_line(*reader, place(),
                                                     [&](nodes::Line line, const sdk::RecordKey&) {
                                                         last = line;
                                                         return true;
                                                     }));
        return last;
    }
    nodes::BranchPlace place() {
        const auto reader = world.services().registrar.engine().snapshot();
        return must(world.services().branches.find(*reader, branch));
    }
    /// Collects what a load has left, after some time; answers in how many steps, 0 where it must
    /// not.
    int collect(const nodes::BranchPlace& where, std::chrono::milliseconds later = {}) {
        nodes::BranchStore& branches = world.services().branches;
        nodes::BranchStore::CollectedTo to;
        auto state = nodes::BranchStore::Collected::in_part;
        int steps = 0;
        for (; state == nodes::BranchStore::Collected::in_part; ++steps) {
            // A repetition begins where the attempt before has begun.
            nodes::BranchStore::CollectedTo then;
            must(sdk::write_with_retry(world.services().registrar.engine(),
                                       [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                                           then = to;
                                           auto some = branches.collect_line(
                                               transaction, where, sdk::now_ms() + later.count(),
                                               then);
                                           if (!some) return some.error();
                                           state = *some;
                                           return {};
                                       }));
            to = std::move(then);
        }
        return state == nodes::BranchStore::Collected::wholly ? steps : 0;
    }
    /// The same of a load that has just ended: it is given up behind the end of the operation.
    int collect_soon(const nodes::BranchPlace& where) {
        for (int tries = 0; tries < 10'000; ++tries) {
            if (const int steps = collect(where); steps > 0) return steps;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return 0;
    }
    std::size_t content_rows() {
        return rows_below(world, world.services().branches.content_prefix(place()));
    }

    const sdk::RecordKey branch = world.branch_key(world.master());
};

}  // namespace stele::tests
