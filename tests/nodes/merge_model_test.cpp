// Random histories on up to six branches, merged in every direction and partly reverted, against a
// three-way merge over whole copies: results, conflicts, parents and counts. Memberships in folders
// are told by their ends. A failing seed runs alone with STELE_TEST_SEED=<seed>; with
// STELE_TEST_FIRST=<seed> they begin there.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <unordered_map>

#include <catch2/catch.hpp>

#include <stele/sdk/json_difference.hpp>

#include "branch/vocabulary.hpp"
#include "kernel/resource/consistency/data_store_count.hpp"
#include "merge/record_merge.hpp"
#include "tests/nodes/content_comparison.hpp"
#include "tests/nodes/content_world.hpp"
#include "tests/nodes/merge_model.hpp"
#include "tests/nodes/random_source.hpp"
#include "tests/support/random_document.hpp"

namespace stele::tests {

using sdk::Json;

namespace {

constexpr std::size_t kMostBranches = 6;
constexpr std::size_t kMaxSteps = 40;
constexpr std::size_t kHistoriesInWorld = 50;

bool is_of_history(const Json& record) {
    const std::string type = record.value("_type", "");
    return !type.starts_with("d:") && type != "n:person";
}

/// One history and what it must lead to.
class RandomMerges {
public:
    RandomMerges(ContentWorld& world, std::uint64_t seed)
        : world_(world), random_(seed), is_about_places_(seed % 4 == 3) {
        Branch first{fork(world.master())};
        first.head = history_.add(std::nullopt, {}, shown(first.id));
        root_ = first_of_type("n:root");
        first.tip = tip(first.id);
        branches_.push_back(std::move(first));
        for (const char* name : {"a", "b"})
            make_folder(branches_.front(), name);
        if (!is_about_places_) return;
        create(branches_.front());
        for (int forks = 2; forks > 0; --forks)
            add_branch(branches_.front());
    }

    void run() {
        for (std::size_t steps = 1 + random_.below(kMaxSteps); steps > 0; --steps)
            step();
    }
    const std::string& story() const { return story_; }

private:
    struct Branch {
        std::string id;
        CopiedHistory::Number head = 0;
        /// What it has taken in since without a changeset.
        CopiedHistory::Set beside = {};
        std::string tip = {};
    };

    void step() {
        Branch& branch = branches_[random_.below(branches_.size())];
        switch (is_about_places_ ? kStepsOfPlaces[random_.below(kStepsOfPlaces.size())]
                                 : random_.below(15)) {
            case 0:
                if (branches_.size() < kMostBranches) add_branch(branch);
                return;
            case 1:
            case 2:
            case 3:
            case 4: {
                Branch& source = branches_[random_.below(branches_.size())];
                if (&source != &branch) merge(source, branch);
                return;
            }
            case 5:
            case 6:
                return create(branch);
            case 7:
                return update(branch);
            case 8:
                return remove(branch);
            case 9:
                return move(branch);
            case 10:
                return update(branch);
            case 11:
                return revert(branch);
            case 12:
                return translate(branch);
            case 13:
                return mark_place(branch);
            default:
                return associate(branch);
        }
    }

    sdk::Result<Json> ask(const Branch& branch, const char* method, const std::string& path,
                          const std::string& node, ContentWorld::Parameters parameters = {},
                          Json body = Json::object()) {
        std::vector<std::string> values{branch.id};
        if (!node.empty()) values.push_back(node);
        return world_.ask(0, {.method = method,
                              .path = path,
                              .values = std::move(values),
                              .parameters = std::move(parameters),
                              .body = std::move(body)});
    }

    std::string fork(const std::string& parent) {
        const Json made = must(world_.ask(
            0, {.method = "POST", .path = "", .values = {}, .parameters = {{"branch", parent}}}));
        return made.at("_doc").get<std::string>();
    }
    WholeCopy shown(const std::string& branch) {
        WholeCopy copy;
        for (const auto& [id, text] : ShownContent(world_, branch).records(nodes::kNodeType)) {
            const std::optional<Json>& part = part_of(text);
            if (!part) continue;
            const bool is_membership = part->value("_type", "") == "a:child";
            const std::string name =
                is_membership ? part->value("source", "") + " holds " + part->value("target", "")
                              : id;
            names_[id] = name;
            Json& kept = copy[name];
            if (!kept.is_null()) throw Difference("twice the same: " + name);
            kept = *part;
            // Members of the one object that has several are merged one by one.
            const Json features = kept.value("_features", Json::object());
            for (const auto& [feature, settings] : features.items())
                kept["_features/" + feature] = settings;
            kept.erase("_features");
            // It follows from the id.
            if (is_membership) kept.erase("_qname");
        }
        // Persons and their places are each branch's own.
        std::erase_if(copy, [&copy](const auto& at) {
            return at.second.value("_is_association", false) &&
                   !(copy.contains(at.second.value("source", "")) &&
                     copy.contains(at.second.value("target", "")));
        });
        return copy;
    }
    /// Of a record's text, which most changesets leave as it is.
    const std::optional<Json>& part_of(const std::string& text) {
        const auto known = parts_.find(text);
        if (known != parts_.end()) return known->second;
        const Json record = must(sdk::parse_json(text));
        std::optional<Json> part;
        if (is_of_history(record)) part = nodes::merged_part(record);
        return parts_.emplace(text, std::move(part)).first->second;
    }
    std::string tip(const std::string& branch) { return ShownContent(world_, branch).tip(); }
    const WholeCopy& copy_of(const Branch& branch) const { return history_.copy(branch.head); }
    CopiedHistory::Set all_of(const Branch& branch) const {
        CopiedHistory::Set all = history_.ancestors(branch.head);
        all.insert(branch.beside.begin(), branch.beside.end());
        return all;
    }

    /// What the step has written becomes the branch's head.
    void commit(Branch& branch, const std::string& what) {
        const std::string now = tip(branch.id);
        story_ +=
            "\n" + branch.id.substr(16) + " " + what + (now == branch.tip ? " (nothing)" : "");
        if (now == branch.tip) return;
        add_head(branch, {}, shown(branch.id), now);
    }
    void add_head(Branch& branch, CopiedHistory::Set brought, WholeCopy copy,
                  const std::string& id) {
        const auto before = branch.head;
        branch.tip = id;
        brought.merge(branch.beside);
        branch.head = history_.add(before, std::move(brought), std::move(copy));
        branch.beside.clear();
        made_[branch.head] = {id, before};
    }

    std::string first_of_type(const std::string& type) {
        for (const auto& [id, record] : history_.copy(0)) {
            if (record.value("_type", "") == type) return id;
        }
        throw Difference("no node of type " + type);
    }
    std::string any_node(const Branch& branch, bool has_to_be_folder = false) {
        std::vector<std::string> found;
        for (const auto& [id, record] : copy_of(branch)) {
            const bool is_fit = !record.value("_is_association", false) &&
                                record.value("_type", "") == "n:node" &&
                                record.value("_qname", "").starts_with("o:") &&
                                (!has_to_be_folder || record.contains("_features/f:container"));
            if (is_fit) found.push_back(id);
        }
        return found.empty() ? std::string() : random_.any_of(found);
    }
    /// Mostly a new one.
    std::string title() {
        return random_.one_in(4) ? std::string(1, static_cast<char>('p' + random_.below(4)))
                                 : "t" + std::to_string(next_title_++);
    }

    void make_folder(Branch& branch, const std::string& name) {
        (void)ask(branch, "POST", "/{branchId}/nodes", {},
                  {{"rootNodeId", root_}, {"parentFolderPath", "/"}},
                  {{"title", name}, {"_features", {{"f:container", Json::object()}}}});
        commit(branch, "makes folder " + name);
    }
    void create(Branch& branch) {
        const std::string folder = any_node(branch, true);
        Json body = {{"title", title()}};
        if (random_.one_in(3)) body["_features"] = {{"f:container", Json::object()}};
        const std::string name = body.at("title").get<std::string>();
        (void)ask(branch, "POST", "/{branchId}/nodes", {},
                  {{"rootNodeId", folder.empty() ? root_ : folder}, {"parentFolderPath", "/"}},
                  std::move(body));
        commit(branch, "creates " + name + " in " + folder);
    }
    void update(Branch& branch) {
        const std::string node = any_node(branch);
        if (node.empty()) return;
        Json body = {{"title", copy_of(branch).at(node).at("title")}};
        for (const char* name : {"x", "y"}) {
            if (random_.one_in(4)) continue;
            const Json& before = copy_of(branch).at(node);
            if (before.contains(name)) body[name] = before.at(name);
            if (random_.one_in(2)) body[name] = random_.below(3);
        }
        if (random_.one_in(4)) body["title"] = title();
        const std::string said = body.dump();
        (void)ask(branch, "PUT", "/{branchId}/nodes/{nodeId}", node, {}, std::move(body));
        commit(branch, "updates " + node + " " + said);
    }
    void remove(Branch& branch) {
        const std::string node = any_node(branch);
        if (node.empty()) return;
        (void)ask(branch, "DELETE", "/{branchId}/nodes/{nodeId}", node);
        commit(branch, "deletes " + node);
    }
    void move(Branch& branch) {
        const std::string node = any_node(branch);
        const std::string folder = any_node(branch, true);
        if (node.empty() || folder.empty() || node == folder) return;
        (void)ask(branch, "POST", "/{branchId}/nodes/{nodeId}/move", node,
                  {{"targetNodeId", folder}});
        commit(branch, "moves " + node + " to " + folder);
    }
    void associate(Branch& branch) {
        const std::string node = any_node(branch);
        const std::string other = any_node(branch);
        if (node.empty() || node == other) return;
        const char* const how = random_.one_in(3) ? "unassociate" : "associate";
        (void)ask(branch, "POST", std::string("/{branchId}/nodes/{nodeId}/") + how, node,
                  {{"node", other}, {"type", "a:linked"}});
        commit(branch, std::string(how) + " " + node + " " + other);
    }

    /// Puts a member on the association by which a node lies in its folder.
    void mark_place(Branch& branch) {
        std::vector<std::string> found;
        for (const auto& [id, text] : ShownContent(world_, branch.id).records(nodes::kNodeType)) {
            const std::optional<Json>& part = part_of(text);
            if (part && part->value("_type", "") == "a:child" &&
                copy_of(branch).contains(names_.at(id)) &&
                copy_of(branch).at(part->value("target", "")).value("_type", "") == "n:node")
                found.push_back(id);
        }
        if (found.empty()) return;
        const std::string place = random_.any_of(found);
        Json body = Json::object();
        for (const char* name : {"x", "y"}) {
            if (random_.one_in(2)) body[name] = random_.below(3);
        }
        const std::string said = body.dump();
        (void)ask(branch, "PUT", "/{branchId}/nodes/{nodeId}", place, {}, std::move(body));
        commit(branch, "says of " + names_.at(place) + " " + said);
    }

    void translate(Branch& branch) {
        const std::string node = any_node(branch);
        if (node.empty()) return;
        const std::string locale = random_.one_in(2) ? "de" : "fr";
        (void)ask(branch, "POST", "/{branchId}/nodes/{nodeId}/i18n", node, {{"locale", locale}},
                  {{"title", title()}});
        commit(branch, "translates " + node + " into " + locale);
    }

    void add_branch(const Branch& parent) {
        Branch made{fork(parent.id), parent.head, parent.beside, parent.tip};
        story_ += "\n" + parent.id.substr(16) + " forks " + made.id.substr(16);
        branches_.push_back(std::move(made));
    }

    void merge(const Branch& source, Branch& target) {
        story_ += "\n" + source.id.substr(16) + " into " + target.id.substr(16);
        const auto from = all_of(source);
        const auto to = all_of(target);
        const bool is_contained = std::includes(to.begin(), to.end(), from.begin(), from.end());
        const WholeCopy base = is_contained ? WholeCopy() : history_.common_copy(from, to);
        const NaiveMerge naive = is_contained
                                     ? NaiveMerge{.merged = copy_of(target)}
                                     : merge_copies(base, copy_of(source), copy_of(target));
        auto answered = ask(target, "POST", "/{branchId}/merge", {}, {{"id", source.id}});
        if (!answered) throw Difference(answered.error().code + " " + answered.error().message);
        compare(*answered, naive, target);
        if (is_contained) return;
        if (!naive.is_clean()) {
            if (naive.asks_for_values() && random_.one_in(2))
                resolve(source, target, base, answered->at("conflictIds").at(0).get<std::string>());
            return;
        }
        take_in(source, target, naive.merged, naive.steps > 0);
        if (random_.one_in(3)) merge(source, target);
    }

    /// Decides all that a merge has asked for, and commits it.
    void resolve(const Branch& source, Branch& target, const WholeCopy& base,
                 const std::string& conflict) {
        const bool is_sources = random_.one_in(2);
        const std::string side = is_sources ? "source" : "target";
        story_ += "\n" + target.id.substr(16) + " decides for the " + side;
        const NaiveMerge naive = merge_copies(base, copy_of(source), copy_of(target),
                                              is_sources ? Preference::source : Preference::target);
        (void)must(world_.ask(0, {.method = "POST",
                                  .path = "/conflicts/{conflictId}/resolve",
                                  .values = {conflict},
                                  .parameters = {{"resolution", side}, {"all", "true"}}}));
        const Json committed = must(world_.ask(
            0, {.method = "POST", .path = "/conflicts/{conflictId}/commit", .values = {conflict}}));
        const bool is_committed = committed.at("committed").get<bool>();
        if (is_committed != naive.is_clean()) throw Difference("committed: " + committed.dump());
        compare_copies(naive, target, true);
        if (is_committed) take_in(source, target, naive.merged, true);
    }

    /// What a merge has made of the target.
    void take_in(const Branch& source, Branch& target, const WholeCopy& merged, bool writes) {
        CopiedHistory::Set brought = all_of(source);
        if (writes) {
            const std::string now = tip(target.id);
            compare_parents(now, source.tip);
            add_head(target, std::move(brought), merged, now);
        } else {
            target.beside.merge(brought);
        }
    }

    /// To revert is to merge what was there before, on the base of what is reverted.
    void revert(Branch& branch) {
        std::vector<CopiedHistory::Number> known;
        for (const auto number : all_of(branch)) {
            if (made_.contains(number)) known.push_back(number);
        }
        if (known.empty()) return;
        const auto number = random_.any_of(known);
        const auto& [id, before] = made_.at(number);
        story_ += "\n" + branch.id.substr(16) + " reverts " + id;
        const NaiveMerge naive =
            merge_copies(history_.copy(number), history_.copy(before), copy_of(branch));
        auto answered = ask(branch, "POST", "/{branchId}/revert", {}, {{"id", id}});
        if (!answered) throw Difference(answered.error().code + " " + answered.error().message);
        compare(*answered, naive, branch);
        if (naive.is_clean() && naive.steps > 0) add_head(branch, {}, naive.merged, tip(branch.id));
    }

    /// What came of a merge into the target, which is still what it was before it.
    void compare(const Json& report, const NaiveMerge& naive, const Branch& target) {
        compare_conflicts(report, naive);
        if (naive.is_clean() && report.at("nodeCount").get<std::size_t>() != naive.steps)
            throw Difference("nodeCount " + report.at("nodeCount").dump() + ", not " +
                             std::to_string(naive.steps));
        compare_copies(naive, target, naive.steps > 0);
    }
    void compare_copies(const NaiveMerge& naive, const Branch& target, bool writes) {
        const std::string now = tip(target.id);
        if (!naive.is_clean()) {
            if (now != target.tip) throw Difference("a merge with conflicts has written");
            return;
        }
        if (const WholeCopy copy = shown(target.id); !difference(copy, naive.merged).empty())
            throw Difference("the merged copy differs: " + difference(copy, naive.merged));
        if ((now != target.tip) != writes)
            throw Difference("a changeset is missing, or one too many");
    }

    static std::string difference(const WholeCopy& is, const WholeCopy& should_be) {
        std::string told;
        for (const auto& [id, record] : is) {
            const auto other = should_be.find(id);
            if (other == should_be.end())
                told += "\n+ " + id + record.dump();
            else if (!sdk::is_same_json(other->second, record))
                told += "\n! " + id + record.dump() + " not " + other->second.dump();
        }
        for (const auto& [id, record] : should_be) {
            if (!is.contains(id)) told += "\n- " + id + record.dump();
        }
        return told;
    }

    void compare_conflicts(const Json& report, const NaiveMerge& naive) {
        std::multiset<std::pair<std::string, std::string>> found;
        bool has_namesakes = false;
        bool has_circle = false;
        for (const Json& conflict : report.at("conflicts")) {
            const std::string kind = conflict.at("kind").get<std::string>();
            has_namesakes = has_namesakes || kind == "name";
            has_circle = has_circle || kind == "circle";
            if (kind != "name" && kind != "circle")
                found.emplace(kind, names_.at(conflict.at("nodeId").get<std::string>()));
        }
        if (found == naive.conflicts && has_namesakes == naive.has_namesakes &&
            has_circle == naive.has_circle && report.at("merged").get<bool>() == naive.is_clean())
            return;
        std::string expected;
        for (const auto& [kind, id] : naive.conflicts)
            expected += kind + " " + id + ", ";
        throw Difference("conflicts " + report.dump(1) + "\nexpected " + expected +
                         (naive.has_namesakes ? "names " : "") +
                         (naive.has_circle ? "circle" : ""));
    }

    void compare_parents(const std::string& changeset, const std::string& taken) {
        const auto store = world_.kernel().engine->snapshot();
        const nodes::BranchStore& branches = world_.services().branches;
        const auto place = must(branches.find(*store, world_.branch_key(branches_.front().id)));
        const auto note = must(branches.note(*store, place, *nodes::revision_of(changeset)));
        if (note.merged != *nodes::revision_of(taken))
            throw Difference("the second parent of " + changeset + " is not " + taken);
    }

    ContentWorld& world_;
    RandomSource random_;
    /// Few nodes, moved to and fro: what happens to one place on several branches.
    const bool is_about_places_;
    static constexpr std::array<std::size_t, 16> kStepsOfPlaces{1, 1, 1, 1,  1,  1,  0, 9,
                                                                9, 9, 9, 13, 13, 11, 8, 5};
    CopiedHistory history_;
    std::vector<Branch> branches_;
    struct Made {
        std::string id;
        CopiedHistory::Number before = 0;
    };
    /// Changesets by their number, with what their branch had before.
    std::map<CopiedHistory::Number, Made> made_;
    /// How the model calls records, by id.
    std::map<std::string, std::string> names_;
    std::string root_;
    std::size_t next_title_ = 0;
    std::unordered_map<std::string, std::optional<Json>> parts_;
    std::string story_;
};

void run_history(ContentWorld& world, std::uint64_t seed) {
    std::string story;
    try {
        RandomMerges merges(world, seed);
        try {
            merges.run();

        } catch (...) {
            story = merges.story();
            throw;
        }
    } catch (const std::exception& problem) {
        FAIL("STELE_TEST_SEED=" << seed << story << "\n" << problem.what());
    }
}

}  // namespace

TEST_CASE("branches are merged like whole copies of them") {
    const bool is_alone = std::getenv("STELE_TEST_SEED") != nullptr;
    const std::uint64_t first = is_alone ? testing::test_seed() : testing::first_test_case();
    const std::uint64_t end = is_alone ? first + 1 : first + testing::test_cases(300);
    std::unique_ptr<ContentWorld> world;
    for (std::uint64_t seed = first; seed < end; ++seed) {
        if ((seed - first) % kHistoriesInWorld == 0) {
            if (world) CHECK(kernel::resource::check_store(world->kernel()).empty());
            world = std::make_unique<ContentWorld>();
        }
        run_history(*world, seed);
    }
    if (world) CHECK(kernel::resource::check_store(world->kernel()).empty());
}

}  // namespace stele::tests
