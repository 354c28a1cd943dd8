#include "transfer/import_plan.hpp"

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
    Planning(const BranchContent& content, const sdk::ContentTarget& target)
        : content_(content), target_(target), pace_(content.context()) {}

    sdk::Result<void> take(const sdk::ContentItem& item) {
        if (auto may = pace_.step(); !may) return may;
        PlannedItem& planned = plan_.items[item.id];
        if (plan_.items.size() > kMaxImported)
            return sdk::make_error(sdk::ErrorKind::too_large, "nodes.import_too_large",
                                   fmt::format("one import brings at most {} nodes and "
                                               "associations",
                                               kMaxImported));
        const ItemKind kind = item.is_removed ? planned.kind : kind_of(item.fields);
        planned = {.kind = kind, .position = position_++, .comes = !item.is_removed};
        plan_.links.erase(item.id);
        if (item.is_removed) return {};
        planned.type = told(item.fields, member::kType);
        planned.qname = told(item.fields, member::kQName);
        auto taken = kind == ItemKind::association ? take_association(item, planned)
                                                   : take_node(item, planned);
        return taken ? taken : of_item(item.id, taken.error());
    }

    ImportPlan finish() {
        plan_.sort_links();
        return std::move(plan_);
    }

private:
    /// As it comes.
    std::string told(const sdk::Json& fields, const char* name) const {
        std::string text = sdk::text_member(fields, name);
        const auto found = target_.substitutions.find(text);
        return found == target_.substitutions.end() ? text : found->second;
    }

    sdk::Result<void> take_association(const sdk::ContentItem& item, PlannedItem& planned) {
        planned.comes = is_copied_type(planned.type) && !is_tagging(item.fields);
        const bool is_directed =
            sdk::text_member(item.fields, member::kDirectionality) != kUndirected;
        if (planned.comes && is_directed)
            plan_.links[item.id] = {planned.type, told(item.fields, member::kSource),
                                    told(item.fields, member::kTarget),
                                    sdk::text_member(item.fields, "locale"),
                                    sdk::text_member(item.fields, "edition")};
        return {};
    }

    sdk::Result<void> take_node(const sdk::ContentItem& item, PlannedItem& planned) {
        if (is_root(item.fields))
            return fix(planned, target_.folder.empty() ? kRootAlias : target_.folder);
        if (planned.qname == kUsersQName) return fix(planned, kUsersQName);
        if (is_person(item.fields)) return find_person(item, planned);
        if (planned.kind == ItemKind::definition) return match(planned, planned.qname);
        sdk::Json fields = item.fields;
        fields["_doc"] = item.id;
        planned.name = name_of(fields);
        const auto existing = item.fields.find(kExisting);
        if (existing != item.fields.end() && existing->is_object() && !existing->empty())
            return match_query(planned, *existing);
        const std::string tag = sdk::text_member(item.fields, "tag");
        if (planned.type == type::kTag && !tag.empty())
            return match_query(planned, {{member::kType, type::kTag}, {"tag", tag}});
        return {};
    }

    sdk::Result<void> fix(PlannedItem& planned, const std::string& name) {
        auto found = content_.node(name);
        if (!found) return found.error();
        planned.is_fixed = true;
        planned.match = found->id;
        return {};
    }

    /// Whose the person is decides the target; nobody gets one by an import.
    sdk::Result<void> find_person(const sdk::ContentItem& item, PlannedItem& planned) {
        const std::string domain_id = sdk::text_member(item.fields, "principal-domain");
        const std::string principal_id = sdk::text_member(item.fields, "principal-id");
        auto person = content_.find_person(domain_id, principal_id);
        if (!person) return person.error();
        planned.is_fixed = true;
        planned.comes = person->has_value();
        planned.match = person->value_or(std::string());
        const sdk::Principal& own = content_.principal();
        const bool is_own = own.domain_id == domain_id && own.id == principal_id;
        if (is_own && !planned.comes) plan_.own_person = item.id;
        return {};
    }

    sdk::Result<void> match(PlannedItem& planned, const std::string& qname) {
        if (!is_qname(qname)) return {};
        auto found = content_.node(qname);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        if (found && is_definition(found->fields)) planned.match = found->id;
        return {};
    }

    sdk::Result<void> match_query(PlannedItem& planned, const sdk::Json& query) {
        auto found = content_.context().documents().query(content_.nodes(), query, {});
        if (!found) return found.error();
        for (const sdk::Document& node : found->rows) {
            auto may = content_.may(node.key, sdk::Permission::read);
            if (!may) return may.error();
            if (!*may || is_association(node.fields)) continue;
            planned.match = node.id;
            return {};
        }
        return {};
    }

    const BranchContent& content_;
    const sdk::ContentTarget& target_;
    Pace pace_;
    ImportPlan plan_;
    std::uint64_t position_ = 0;
};

std::vector<const PlannedLink*> of_type(
    const std::unordered_map<std::string, std::vector<const PlannedLink*>>& links,
    const std::string& id, std::string_view type) {
    std::vector<const PlannedLink*> found;
    const auto all = links.find(id);
    if (all == links.end()) return found;
    for (const PlannedLink* link : all->second) {
        if (type.empty() || link->type == type) found.push_back(link);
    }
    return found;
}

}  // namespace

const PlannedItem* ImportPlan::find(const std::string& id) const {
    const auto found = items.find(id);
    return found == items.end() || !found->second.comes ? nullptr : &found->second;
}

std::vector<const PlannedLink*> ImportPlan::below(const std::string& id,
                                                  std::string_view type) const {
    return of_type(below_, id, type);
}

std::vector<const PlannedLink*> ImportPlan::above(const std::string& id,
                                                  std::string_view type) const {
    return of_type(above_, id, type);
}

void ImportPlan::sort_links() {
    for (const auto& [id, link] : links) {
        if (find(link.source) == nullptr || find(link.target) == nullptr) continue;
        below_[link.source].push_back(&link);
        above_[link.target].push_back(&link);
    }
}

sdk::Error of_item(const std::string& id, sdk::Error error) {
    error.message = fmt::format("{}: {}", sdk::shown_path(id), error.message);
    return error;
}

sdk::Result<ImportPlan> plan_import(const BranchContent& content, sdk::ContentSource& source,
                                    const sdk::ContentTarget& target) {
    Planning planning(content, target);
    auto walked =
        source.for_each([&](const sdk::ContentItem& item) { return planning.take(item); });
    if (!walked) return walked.error();
    return planning.finish();
}

sdk::Result<void> for_each_coming(
    const BranchContent& content, sdk::ContentSource& source, const ImportPlan& plan, ItemKind kind,
    const std::function<sdk::Result<void>(const sdk::ContentItem& item,
                                          const PlannedItem& planned)>& visit) {
    Pace pace(content.context());
    std::uint64_t position = 0;
    return source.for_each([&](const sdk::ContentItem& item) -> sdk::Result<void> {
        if (auto may = pace.step(); !may) return may;
        const std::uint64_t at = position++;
        const PlannedItem* const planned = plan.find(item.id);
        const bool is_meant = planned != nullptr && planned->position == at &&
                              planned->kind == kind && !planned->is_fixed;
        if (!is_meant) return {};
        auto done = visit(item, *planned);
        return done ? done : of_item(item.id, done.error());
    });
}

}  // namespace stele::nodes
