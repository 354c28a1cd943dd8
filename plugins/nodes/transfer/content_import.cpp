#include "transfer/content_import.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "branch/loading.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "transfer/association_import.hpp"
#include "transfer/import_plan.hpp"
#include "transfer/import_state.hpp"
#include "transfer/link_rewriting.hpp"
#include "transfer/record_import.hpp"
#include "transfer/tree_matching.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxDefinitionBytes = std::size_t{32} << 20;
constexpr std::int64_t kFirstPauseMs = 100;
constexpr std::size_t kMaxDoublings = 6;
constexpr std::chrono::milliseconds kBetweenLooks{20};

class ContentImport {
public:
    ContentImport(const BranchContent& content, sdk::ContentSource& source,
                  const sdk::ContentTarget& target, ImportPlan plan)
        : content_(content),
          source_(source),
          state_(content, target, std::move(plan)),
          records_(state_),
          subjects_(scratch_folder(content)),
          counted_(scratch_folder(content)),
          written_(scratch_folder(content)) {}

    sdk::Result<sdk::ContentReport> run() {
        if (auto begun = begin(); !begun) return begun.error();
        auto links = LinkRewriting::open(state_);
        if (!links) return links.error();
        if (auto brought = bring_definitions(*links); !brought) return brought.error();
        // Tags first: what is tagged by a word finds its tag.
        for (const Turn turn : {Turn::tag, Turn::node}) {
            if (auto brought = bring_nodes(*links, turn); !brought) return brought.error();
        }
        if (auto done = rewrite_waiting(*links); !done) return done.error();
        AssociationImport associations(state_, records_, *links);
        auto brought =
            for_each(Turn::association, [&](const sdk::ContentItem& item, const PlannedItem&) {
                return associations.bring(item);
            });
        if (!brought) return brought.error();
        auto related =
            written_.for_each([&](std::string_view id, std::string_view here) -> sdk::Result<void> {
                const std::string item(id);
                auto done = state_.tried(item, associations.relate(std::string(here)));
                if (!done) return of_item(item, done.error());
                return content_.changes().settle_loads(content_.context());
            });
        if (!related) return related.error();
        if (!folder_.empty()) {
            auto placed = place_subjects(state_, folder_, subjects_);
            if (!placed) return placed.error();
        }
        if (auto counted = count_fixed(); !counted) return counted.error();
        return std::move(state_.report);
    }

private:
    template <class Bring>
    sdk::Result<void> for_each(Turn turn, const Bring& bring) {
        return for_each_coming(
            content_, source_, state_.plan, turn,
            [&](const sdk::ContentItem& item, const PlannedItem& planned) -> sdk::Result<void> {
                auto brought = state_.tried(item.id, bring(item, planned));
                if (!brought) return brought;
                // Those that come a second time, to name what came after them, count once.
                if (turn != Turn::again) ++brought_;
                const auto& progress = state_.target.progress;
                return progress ? progress(brought_, state_.plan.coming) : sdk::Result<void>();
            });
    }

    sdk::Result<void> begin() {
        const sdk::ContentTarget& target = state_.target;
        if (target.lifts_protection) {
            auto may = content_.require_on_branch(sdk::Permission::update);
            if (!may) return may;
            content_.changes().lift_protection(content_.branch());
        }
        if (!target.folder.empty()) {
            auto folder = content_.readable_node(target.folder);
            if (!folder) return folder.error();
            if (is_association(folder->fields))
                return sdk::make_error(
                    {{"folder", "nodes.association_unfit", "an association has no members"}});
            folder_ = folder->id;
            auto subjects = subjects_of(state_);
            if (!subjects) return subjects.error();
            subjects_ = std::move(*subjects);
        }
        if (!state_.is_clone() && !target.copies_on_existing) {
            auto top = content_.node(folder_.empty() ? kRootAlias : folder_);
            if (!top) return top.error();
            if (auto matched = match_by_names(state_, top->id, subjects_); !matched) return matched;
        }
        if (auto made = make_own_person(); !made) return made;
        return state_.know_ids();
    }

    /// Whoever acts gets a person here by whatever they make; where something leads to it that
    /// comes along, beforehand.
    sdk::Result<void> make_own_person() {
        if (!state_.plan.is_own_person_needed) return {};
        if (auto may = state_.require_create(); !may) return may;
        auto person = content_.ensure_person(content_.principal());
        if (!person) return person.error();
        auto planned = state_.plan.items.at(state_.plan.own_person);
        if (!planned) return planned.error();
        planned->comes = true;
        planned->match = std::move(*person);
        return state_.plan.items.put(state_.plan.own_person, *planned);
    }

    /// What stands here for the source's own root and persons, and is left as it is.
    sdk::Result<void> count_fixed() {
        return state_.plan.items.for_each([this](const std::string&, const PlannedItem& planned) {
            if (planned.comes && planned.is_fixed) ++state_.report.skipped;
            return state_.step();
        });
    }

    void count(Brought brought) {
        if (brought == Brought::created) ++state_.report.created;
        if (brought == Brought::updated) ++state_.report.updated;
        if (brought == Brought::skipped) ++state_.report.skipped;
    }

    /// Features first, then each definition behind the one that it extends.
    static std::vector<sdk::ContentItem> in_order(std::vector<sdk::ContentItem> definitions) {
        std::stable_partition(definitions.begin(), definitions.end(), [](const auto& item) {
            return sdk::text_member(item.fields, member::kType) == type::kDefinedFeature;
        });
        const auto name = [&definitions](std::size_t i) {
            return sdk::text_member(definitions[i].fields, member::kQName);
        };
        std::unordered_set<std::string> names;
        for (std::size_t i = 0; i < definitions.size(); ++i)
            names.insert(name(i));
        std::deque<std::size_t> ready;
        std::unordered_map<std::string, std::vector<std::size_t>> waiting;
        for (std::size_t i = 0; i < definitions.size(); ++i) {
            const std::string parent = sdk::text_member(definitions[i].fields, kParent);
            if (names.contains(parent)) {
                waiting[parent].push_back(i);
            } else {
                ready.push_back(i);
            }
        }
        std::vector<std::size_t> order;
        std::vector<bool> is_taken(definitions.size(), false);
        const auto take_ready = [&] {
            for (; !ready.empty(); ready.pop_front()) {
                const std::size_t i = ready.front();
                if (is_taken[i]) continue;
                is_taken[i] = true;
                order.push_back(i);
                const auto behind = waiting.extract(name(i));
                if (behind)
                    ready.insert(ready.end(), behind.mapped().begin(), behind.mapped().end());
            }
        };
        take_ready();
        // A chain that leads back has no first one.
        for (std::size_t i = 0; i < definitions.size(); ++i) {
            ready.push_back(i);
            take_ready();
        }
        std::vector<sdk::ContentItem> ordered;
        for (const std::size_t i : order)
            ordered.push_back(std::move(definitions[i]));
        return ordered;
    }

    sdk::Result<void> bring_definitions(LinkRewriting& links) {
        std::vector<sdk::ContentItem> definitions;
        std::size_t bytes = 0;
        auto walked = for_each(
            Turn::definition,
            [&](const sdk::ContentItem& item, const PlannedItem&) -> sdk::Result<void> {
                // All of them are held at once, to be put into their order.
                bytes += sdk::dump_json(item.fields).size();
                if (bytes > kMaxDefinitionBytes) {
                    return sdk::make_error(sdk::ErrorKind::too_large, "nodes.import_too_large",
                                           "the definitions that come are more than 32 MiB");
                }
                definitions.push_back(item);
                return {};
            });
        if (!walked) return walked;
        for (const sdk::ContentItem& item : in_order(std::move(definitions))) {
            auto brought = state_.tried(item.id, bring_definition(item, links));
            if (!brought) return of_item(item.id, brought.error());
        }
        return {};
    }

    sdk::Result<void> bring_definition(const sdk::ContentItem& item, LinkRewriting& links) {
        auto planned = state_.plan.items.at(item.id);
        if (!planned) return planned.error();
        const std::string& match = planned->match;
        sdk::Json fields = RecordImport::fields_of(item);
        if (auto rewritten = links.rewrite(item.id, fields); !rewritten) return rewritten.error();
        if (match.empty()) {
            auto brought = records_.bring_node(item, std::move(fields), {});
            if (!brought) return brought.error();
            count(*brought);
            return {};
        }
        auto present = content_.node(match);
        if (!present) return present.error();
        auto is_same = records_.says(present->fields, fields);
        if (!is_same) return is_same.error();
        const std::string qname = state_.substituted(sdk::text_member(item.fields, member::kQName));
        const bool is_built_in = is_built_in_definition(qname);
        const bool gives_way =
            is_unchanged_built_in(present->fields) && is_replaceable_definition(qname);
        if (!*is_same && gives_way) {
            if (auto erased = state_.report.ids.erase(item.id); !erased) return erased;
            auto brought = records_.bring_node(item, std::move(fields), {});
            if (!brought) return brought.error();
            count(*brought);
            return {};
        }
        if (state_.is_clone() && !is_built_in) {
            auto brought = records_.bring_node(item, std::move(fields), match);
            if (!brought) return brought.error();
            count(*brought);
            return {};
        }
        if (!*is_same) state_.note(fmt::format("the definition {} stays as it is here", qname));
        count(Brought::skipped);
        return {};
    }

    sdk::Result<void> bring_nodes(LinkRewriting& links, Turn turn) {
        const Raised comes_back(content_.changes().relations().come_back);
        return for_each(
            turn,
            [&](const sdk::ContentItem& item, const PlannedItem& planned) -> sdk::Result<void> {
                sdk::Json fields = RecordImport::fields_of(item);
                auto is_complete = links.rewrite(item.id, fields);
                if (!is_complete) return is_complete.error();
                const bool may_relate = may_have_elements(fields);
                auto brought = records_.bring_node(item, std::move(fields), planned.match);
                if (!brought) return brought.error();
                if (!*is_complete) {
                    state_.plan.turns[planned.position] = Turn::again;
                    // What is equal so far may not be in the end.
                    if (*brought == Brought::skipped) return {};
                    if (auto noted = counted_.put(item.id, {}); !noted) return noted;
                }
                count(*brought);
                if (!may_relate || *brought == Brought::skipped) return {};
                auto here = state_.id_here(item.id);
                if (!here) return here.error();
                return written_.put(item.id, *here);
            });
    }

    /// Those that name what came after them.
    sdk::Result<void> rewrite_waiting(LinkRewriting& links) {
        const Raised comes_back(content_.changes().relations().come_back);
        return for_each(Turn::again,
                        [&](const sdk::ContentItem& item, const PlannedItem&) -> sdk::Result<void> {
                            sdk::Json fields = RecordImport::fields_of(item);
                            auto rewritten = links.rewrite(item.id, fields);
                            if (!rewritten) return rewritten.error();
                            auto here = state_.id_here(item.id);
                            if (!here) return here.error();
                            const bool may_relate = may_have_elements(fields);
                            auto brought = records_.rewrite(*here, std::move(fields));
                            if (!brought) return brought.error();
                            auto is_counted = counted_.contains(item.id);
                            if (!is_counted) return is_counted.error();
                            if (*is_counted) return {};
                            count(*brought);
                            const bool is_written = *brought == Brought::updated && may_relate;
                            return is_written ? written_.put(item.id, *here) : sdk::Result<void>();
                        });
    }

    const BranchContent& content_;
    sdk::ContentSource& source_;
    ImportState state_;
    RecordImport records_;
    std::string folder_;
    std::uint64_t brought_ = 0;
    /// Their ids in the source.
    sdk::TextTable subjects_;
    /// Of those that come a second time, what was counted the first time.
    sdk::TextTable counted_;
    /// Ids, in the source and here, of those whose properties may name others.
    sdk::TextTable written_;
};

sdk::Error too_large_to_hold(const ImportBounds& bounds) {
    return sdk::make_error(
        sdk::ErrorKind::too_large, "nodes.import_too_large",
        fmt::format("what comes says more than the {} MiB that one import brings here",
                    bounds.most_held_bytes >> 20));
}

sdk::Error overtaken(const BranchContent& content) {
    auto branch = content.context().reference(content.branch());
    if (!branch) return branch.error();
    return sdk::make_error(
        sdk::ErrorKind::conflict, "nodes.import_overtaken",
        fmt::format("others have written to {}, or changed what the import goes by, during each of "
                    "{} attempts to bring more than {} nodes and associations, or {} MiB, into it; "
                    "import them while nobody writes there",
                    *branch, content.context().attempt(),
                    content.services().import_bounds.most_held,
                    content.services().import_bounds.most_held_bytes >> 20));
}

/// Behind those who were in the way of the attempt before.
sdk::Result<void> wait_for_others(const sdk::Context& context) {
    if (context.attempt() == 0) return {};
    const auto until =
        std::chrono::steady_clock::now() +
        std::chrono::milliseconds(kFirstPauseMs << std::min(context.attempt() - 1, kMaxDoublings));
    while (std::chrono::steady_clock::now() < until) {
        if (auto may = context.go_on(); !may) return may;
        std::this_thread::sleep_for(kBetweenLooks);
    }
    return {};
}

}  // namespace

sdk::Result<sdk::ContentReport> import_content(Services& services, sdk::Context& context,
                                               sdk::ContentSource& source,
                                               const sdk::ContentTarget& target) {
    auto before = BranchContent::open(services, context, target.branch);
    if (!before) return before.error();
    auto may = before->may(target.branch, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may)
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                               "there is no such branch");
    auto may_load = nodes::may_load(*before);
    if (!may_load) return may_load.error();
    if (source.reads_context()) before->changes().keep_state();
    const ImportBounds& bounds = services.import_bounds;
    auto plan =
        plan_import(*before, source, target, *may_load ? bounds.most_loaded : bounds.most_held);
    if (!plan) return plan.error();
    // Planning moves on.
    auto content = BranchContent::open(services, context, target.branch);
    if (!content) return content.error();
    const bool may_hold =
        plan->items.size() <= bounds.most_held && plan->coming_bytes <= bounds.most_held_bytes;
    if (!*may_load && !may_hold) return too_large_to_hold(bounds);
    const bool is_overtaken = context.attempt() >= (may_hold ? bounds.loads_of_held : bounds.loads);
    const bool is_little = plan->coming <= bounds.few && plan->coming_bytes <= bounds.few_bytes;
    if (!*may_load || is_little || (may_hold && is_overtaken))
        return ContentImport(*content, source, target, std::move(*plan)).run();
    if (is_overtaken) return overtaken(*content);
    if (auto waited = wait_for_others(context); !waited) return waited.error();
    auto held = context.data_stores().hold_statistics(target.branch);
    if (!held) return held.error();
    content->changes().keep(*std::move(held));
    if (auto begun = begin_load(*content); !begun) return begun.error();
    auto loaded = BranchContent::open(services, context, target.branch);
    if (!loaded) return loaded.error();
    auto report = ContentImport(*loaded, source, target, std::move(*plan)).run();
    if (!report) return report;
    if (auto ended = loaded->changes().drop_empty_load(context, target.branch); !ended)
        return ended.error();
    return report;
}

}  // namespace stele::nodes
