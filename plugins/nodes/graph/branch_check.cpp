#include "graph/branch_check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "history/history.hpp"

namespace stele::nodes {

namespace {

constexpr char kAssociations[] = "associations";
constexpr char kPathNames[] = "paths";
constexpr char kSchemas[] = "schemas";
constexpr char kRepairs[] = "repair";

AssociationEnds ends_at(const std::string& node, const Edge& edge) {
    const bool is_target = edge.end == Direction::incoming;
    return {.association = edge.association,
            .type = edge.type,
            .source = is_target ? edge.other : node,
            .target = is_target ? node : edge.other,
            .is_undirected = edge.end == Direction::mutual};
}

/// The checks of one record.
class RecordCheck {
public:
    RecordCheck(const BranchContent& content, const CheckPlan& plan, const sdk::Document& record)
        : content_(content), plan_(plan), record_(record) {}

    sdk::Result<void> association();
    sdk::Result<void> edges();
    sdk::Result<void> members();
    sdk::Result<void> indexes();
    sdk::Result<void> schema();
    std::vector<ContentFault> take_faults() { return std::move(faults_); }

private:
    sdk::Result<bool> exists(const std::string& id) const {
        std::string value;
        return content_.view().get_into(node_record_key(id), value);
    }
    sdk::Result<void> membership(const AssociationEnds& ends);
    sdk::Result<bool> is_member(const Graph::Member& member) const;
    template <class Repair>
    sdk::Result<void> add(const char* code, std::string message, Repair repair);

    const BranchContent& content_;
    const CheckPlan& plan_;
    const sdk::Document& record_;
    std::vector<ContentFault> faults_;
};

template <class Repair>
sdk::Result<void> RecordCheck::add(const char* code, std::string message, Repair repair) {
    faults_.push_back({record_.id, code, std::move(message), plan_.repairs});
    if (!plan_.repairs) return {};
    auto writer = content_.graph_writer();
    if (!writer) return writer.error();
    repair(*writer);
    return {};
}

sdk::Result<void> RecordCheck::association() {
    const AssociationEnds ends = ends_of(record_);
    for (const std::string& end : {ends.source, ends.target}) {
        auto found = exists(end);
        if (!found) return found.error();
        if (*found) continue;
        if (!plan_.has_associations) return {};
        faults_.push_back({record_.id, "nodes.end_missing", fmt::format("there is no node {}", end),
                           plan_.repairs});
        if (!plan_.repairs) return {};
        return content_.context().documents().remove(content_.nodes(), record_.id);
    }
    if (plan_.has_associations) {
        auto known = content_.graph().has_both_rows(ends);
        if (!known) return known.error();
        if (!*known) {
            auto added = add("nodes.association_unlisted", "its ends do not know of it",
                             [&](GraphWriter& writer) { writer.put(ends); });
            if (!added) return added;
        }
    }
    return plan_.has_paths ? membership(ends) : sdk::Result<void>();
}

sdk::Result<void> RecordCheck::membership(const AssociationEnds& ends) {
    if (ends.type != association::kChild || ends.is_undirected) return {};
    auto child = content_.node(ends.target);
    if (!child) return child.error();
    const std::string name = name_of(child->fields);
    auto known = content_.graph().has_member(ends.source, {name, ends.association, ends.target});
    if (!known) return known.error();
    if (*known) return {};
    return add("nodes.name_unlisted",
               fmt::format("folder {} does not find {} by its name", ends.source, ends.target),
               [&](GraphWriter& writer) {
                   writer.put_name(ends.source, name, ends.association, ends.target);
               });
}

sdk::Result<void> RecordCheck::edges() {
    auto edges = content_.edges(record_.id, Direction::any);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        auto found = exists(edge.association);
        if (!found) return found.error();
        if (*found) continue;
        auto added = add("nodes.association_lost",
                         fmt::format("there is no association {}", edge.association),
                         [&](GraphWriter& writer) { writer.remove(ends_at(record_.id, edge)); });
        if (!added) return added;
    }
    return {};
}

sdk::Result<bool> RecordCheck::is_member(const Graph::Member& member) const {
    auto association = content_.node(member.association);
    if (!association && sdk::is_missing(association.error())) return false;
    if (!association) return association.error();
    const AssociationEnds ends = ends_of(*association);
    const bool is_membership = ends.type == association::kChild && !ends.is_undirected;
    if (!is_membership || ends.source != record_.id || ends.target != member.child) return false;
    auto child = content_.node(member.child);
    if (!child && sdk::is_missing(child.error())) return false;
    if (!child) return child.error();
    return name_of(child->fields) == member.name;
}

sdk::Result<void> RecordCheck::members() {
    auto members = content_.graph().members(record_.id);
    if (!members) return members.error();
    for (const Graph::Member& member : *members) {
        auto fits = is_member(member);
        if (!fits) return fits.error();
        if (*fits) continue;
        auto added = add("nodes.name_lost", fmt::format("no member has the name {}", member.name),
                         [&](GraphWriter& writer) {
                             writer.remove_name(record_.id, member.name, member.association);
                         });
        if (!added) return added;
    }
    return {};
}

sdk::Result<void> RecordCheck::indexes() {
    // Finding out takes as long as mending; a check alone leaves it to `stele check`.
    if (!plan_.repairs) return {};
    auto mended =
        content_.services().indexes.mend(content_.context(), content_.nodes(), record_.id);
    if (!mended) return mended.error();
    if (*mended == 0) return {};
    faults_.push_back({record_.id, "nodes.index_incomplete",
                       fmt::format("{} entries of its indexes were missing", *mended), true});
    return {};
}

sdk::Result<void> RecordCheck::schema() {
    sdk::Violations violations;
    if (auto found = find_violations(content_, record_.fields, violations); !found) return found;
    for (sdk::Violation& violation : violations) {
        faults_.push_back({record_.id, std::move(violation.code),
                           violation.path + ": " + violation.message, false});
    }
    return {};
}

}  // namespace

CheckPlan CheckPlan::read(const sdk::Json& json) {
    return {.has_associations = sdk::flag_member(json, kAssociations, false),
            .has_paths = sdk::flag_member(json, kPathNames, false),
            .has_schemas = sdk::flag_member(json, kSchemas, false),
            .repairs = sdk::flag_member(json, kRepairs, false)};
}

sdk::Json CheckPlan::json() const {
    return {{kAssociations, has_associations},
            {kPathNames, has_paths},
            {kSchemas, has_schemas},
            {kRepairs, repairs}};
}

sdk::Result<std::vector<ContentFault>> check_record(const BranchContent& content,
                                                    const CheckPlan& plan,
                                                    const sdk::Document& record) {
    RecordCheck check(content, plan, record);
    sdk::Result<void> done;
    if (is_association(record.fields)) {
        done = check.association();
    } else {
        if (plan.has_associations) done = check.edges();
        if (done && plan.has_paths) done = check.members();
    }
    if (done && plan.has_associations) done = check.indexes();
    if (done && plan.has_schemas) done = check.schema();
    if (!done) return done.error();
    return check.take_faults();
}

}  // namespace stele::nodes
