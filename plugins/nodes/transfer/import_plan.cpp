#include "transfer/import_plan.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/node_copy.hpp"
#include "history/tags.hpp"

namespace stele::nodes {

namespace {

constexpr char kExisting[] = "_existing";

class Planning {
public:
    Planning(const BranchContent& content, const sdk::ContentTarget& target, std::size_t most)
        : content_(&content),
          most_(most),
          target_(target),
          pace_(content.context()),
          has_names_(target.strategy != sdk::TransferStrategy::clone && !target.copies_on_existing),
          has_links_(has_names_ || !target.folder.empty()),
          plan_(scratch_folder(content)) {}

    sdk::Result<void> take(const sdk::ContentItem& item) {
        if (auto may = pace_.step(); !may) return may;
        if (auto moved = move_on(); !moved) return moved;
        auto former = plan_.items.find(item.id);
        if (!former) return former.error();
        if (!*former && plan_.items.size() == most_)
            return sdk::make_error(sdk::ErrorKind::too_large, "nodes.import_too_large",
                                   fmt::format("one import brings at most {} nodes and "
                                               "associations",
                                               most_));
        if (*former) {
            if (auto forgotten = forget(item.id); !forgotten) return forgotten;
        }
        PlannedItem planned{.position = position_++, .comes = !item.is_removed};
        if (!item.is_removed) {
            planned.bytes = sdk::dump_json(item.fields).size();
            planned.kind = kind_of(item.fields);
            auto taken = planned.kind == ItemKind::association ? take_association(item, planned)
                                                               : take_node(item, planned);
            if (!taken) return of_item(item.id, taken.error());
        }
        return plan_.items.put(item.id, planned);
    }

    sdk::Result<ImportPlan> finish() {
        plan_.turns.resize(position_);
        auto finished = plan_.finish([this] { return move_on(); });
        if (!finished) return finished.error();
        return std::move(plan_);
    }

private:
    /// A view of the branch is good for the state in which it was opened.
    sdk::Result<void> move_on() {
        Changes& changes = content_->changes();
        if (auto moved = changes.move_on(content_->context()); !moved) return moved;
        // Whoever reads the source for this may have moved it, too.
        if (changes.moves() == moves_) return {};
        moves_ = changes.moves();
        auto renewed =
            BranchContent::open(content_->services(), content_->context(), target_.branch);
        if (!renewed) return renewed.error();
        renewed_.emplace(*std::move(renewed));
        content_ = &*renewed_;
        return {};
    }

    /// What an earlier version said.
    sdk::Result<void> forget(const std::string& id) {
        if (auto erased = plan_.links.erase(id); !erased) return erased;
        return plan_.names.erase(id);
    }

    /// As it comes.
    std::string told(const sdk::Json& fields, const char* name) const {
        std::string text = sdk::text_member(fields, name);
        const auto found = target_.substitutions.find(text);
        return found == target_.substitutions.end() ? text : found->second;
    }

    sdk::Result<void> take_association(const sdk::ContentItem& item, PlannedItem& planned) {
        std::string type = told(item.fields, member::kType);
        planned.comes = is_copied_type(type) && !is_tagging(item.fields);
        const bool is_directed =
            sdk::text_member(item.fields, member::kDirectionality) != kUndirected;
        if (!planned.comes || !is_directed) return {};
        std::string source = told(item.fields, member::kSource);
        std::string target = told(item.fields, member::kTarget);
        const std::string& own = plan_.own_person;
        if (!own.empty() && (source == own || target == own)) plan_.is_own_person_needed = true;
        has_met_link_ = true;
        if (!has_links_) return {};
        return plan_.links.put(item.id, {std::move(type), std::move(source), std::move(target),
                                         sdk::text_member(item.fields, "locale"),
                                         sdk::text_member(item.fields, "edition")});
    }

    sdk::Result<void> take_node(const sdk::ContentItem& item, PlannedItem& planned) {
        if (is_root(item.fields))
            return fix(planned, target_.folder.empty() ? kRootAlias : target_.folder);
        const std::string qname = told(item.fields, member::kQName);
        planned.is_users = qname == kUsersQName;
        if (planned.is_users) return fix(planned, kUsersQName);
        if (is_person(item.fields)) return find_person(item, planned);
        if (planned.kind == ItemKind::definition) return match(planned, qname);
        planned.is_tag = told(item.fields, member::kType) == type::kTag;
        if (has_names_) {
            sdk::Json fields = item.fields;
            fields["_doc"] = item.id;
            auto named = plan_.names.put(item.id, name_of(fields));
            if (!named) return named;
        }
        const auto existing = item.fields.find(kExisting);
        if (existing != item.fields.end() && existing->is_object() && !existing->empty())
            return match_query(planned, *existing);
        const std::string tag = sdk::text_member(item.fields, "tag");
        if (planned.is_tag && !tag.empty())
            return match_query(planned, {{member::kType, type::kTag}, {"tag", tag}});
        return {};
    }

    sdk::Result<void> fix(PlannedItem& planned, const std::string& name) {
        auto found = content_->node(name);
        if (!found) return found.error();
        planned.is_fixed = true;
        planned.match = found->id;
        return {};
    }

    /// Whose the person is decides the target; nobody gets one by an import.
    sdk::Result<void> find_person(const sdk::ContentItem& item, PlannedItem& planned) {
        const std::string domain_id = sdk::text_member(item.fields, "principal-domain");
        const std::string principal_id = sdk::text_member(item.fields, "principal-id");
        auto person = content_->find_person(domain_id, principal_id);
        if (!person) return person.error();
        planned.is_fixed = true;
        planned.comes = person->has_value();
        planned.match = person->value_or(std::string());
        const sdk::Principal& own = content_->principal();
        const bool is_own = own.domain_id == domain_id && own.id == principal_id;
        if (!is_own || planned.comes) return {};
        plan_.own_person = item.id;
        // An association that came before it may have led to it.
        plan_.is_own_person_needed = has_met_link_;
        return {};
    }

    sdk::Result<void> match(PlannedItem& planned, const std::string& qname) {
        if (!is_qname(qname)) return {};
        auto found = content_->node(qname);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        if (found && is_definition(found->fields)) planned.match = found->id;
        return {};
    }

    sdk::Result<void> match_query(PlannedItem& planned, const sdk::Json& query) {
        auto found = content_->context().documents().query(content_->nodes(), query, {});
        if (!found) return found.error();
        for (const sdk::Document& node : found->rows) {
            auto may = content_->may(node.key, sdk::Permission::read);
            if (!may) return may.error();
            if (!*may || is_association(node.fields)) continue;
            planned.match = node.id;
            return {};
        }
        return {};
    }

    const BranchContent* content_;
    std::optional<BranchContent> renewed_;
    std::size_t moves_ = content_->changes().moves();
    const std::size_t most_;
    const sdk::ContentTarget& target_;
    Pace pace_;
    const bool has_names_;
    const bool has_links_;
    bool has_met_link_ = false;
    ImportPlan plan_;
    std::uint64_t position_ = 0;
};

}  // namespace

sdk::Result<std::optional<PlannedItem>> ImportPlan::find(const std::string& id) const {
    auto found = items.find(id);
    if (found && *found && !(*found)->comes) return std::optional<PlannedItem>();
    return found;
}

sdk::Result<void> ImportPlan::finish(const Step& step) {
    auto sorted = links.sort([&](const std::string& id) -> sdk::Result<bool> {
        if (auto may = step(); !may) return may.error();
        auto item = find(id);
        if (!item) return item.error();
        return item->has_value();
    });
    return sorted ? give_turns(step) : sorted;
}

sdk::Result<void> ImportPlan::give_turns(const Step& step) {
    return items.for_each([&](const std::string&, const PlannedItem& item) {
        auto may = step();
        if (!may || !item.comes || item.is_fixed) return may;
        ++coming;
        coming_bytes += item.bytes;
        Turn& turn = turns[item.position];
        if (item.kind == ItemKind::definition) turn = Turn::definition;
        if (item.kind == ItemKind::association) turn = Turn::association;
        if (item.kind == ItemKind::node) turn = item.is_tag ? Turn::tag : Turn::node;
        return may;
    });
}

sdk::Error of_item(const std::string& id, sdk::Error error) {
    error.message = fmt::format("{}: {}", sdk::shown_path(id), error.message);
    return error;
}

sdk::Result<ImportPlan> plan_import(const BranchContent& content, sdk::ContentSource& source,
                                    const sdk::ContentTarget& target, std::size_t most) {
    Planning planning(content, target, most);
    auto walked =
        source.for_each([&](const sdk::ContentItem& item) { return planning.take(item); });
    if (!walked) return walked.error();
    return planning.finish();
}

sdk::Result<void> for_each_coming(
    const BranchContent& content, sdk::ContentSource& source, const ImportPlan& plan, Turn turn,
    const std::function<sdk::Result<void>(const sdk::ContentItem& item,
                                          const PlannedItem& planned)>& visit) {
    if (std::find(plan.turns.begin(), plan.turns.end(), turn) == plan.turns.end()) return {};
    Pace pace(content.context());
    return source.for_each_wanted(
        [&](std::uint64_t position) { return plan.turns.at(position) == turn; },
        [&](const sdk::ContentItem& item) -> sdk::Result<void> {
            if (auto may = pace.step(); !may) return may;
            auto planned = plan.items.at(item.id);
            if (!planned) return planned.error();
            auto done = visit(item, *planned);
            if (!done) return of_item(item.id, done.error());
            return content.changes().settle_loads(content.context());
        });
}

}  // namespace stele::nodes
