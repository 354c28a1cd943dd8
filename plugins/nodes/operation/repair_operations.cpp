#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "attachment/attachment_writer.hpp"
#include "attachment/pictures.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/branch_check.hpp"
#include "graph/node_view.hpp"
#include "graph/statistics.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kRepair[] = "_repair";
/// Associations that are looked for at a time, and faults that the reply names.
constexpr std::int64_t kFoundAtOnce = 1000;
constexpr std::size_t kMaxToldFaults = 1000;

/// What was found while a node was made right.
struct NodeRepair {
    std::vector<ContentFault> faults;
    std::size_t associations = 0;

    void add(std::vector<ContentFault> found) {
        faults.insert(faults.end(), std::make_move_iterator(found.begin()),
                      std::make_move_iterator(found.end()));
    }
};

/// Every association that names the node as an end, listed there or not.
sdk::Result<std::vector<std::string>> associations_naming(const BranchContent& content,
                                                          const std::string& node) {
    const sdk::Json at_node = {
        {member::kIsAssociation, true},
        {"$or", sdk::Json::array({{{member::kSource, node}}, {{member::kTarget, node}}})}};
    std::vector<std::string> ids;
    sdk::PageRequest page;
    page.limit = kFoundAtOnce;
    for (bool is_whole = false; !is_whole;) {
        page.skip = ids.size();
        auto found = content.context().documents().query(content.nodes(), at_node, page);
        if (!found) return found.error();
        for (sdk::Document& association : found->rows)
            ids.push_back(std::move(association.id));
        is_whole = found->rows.empty() || ids.size() >= found->total_rows;
    }
    return ids;
}

/// The node and every association that it has an end in.
sdk::Result<void> repair_rows(const BranchContent& content, const sdk::Document& node,
                              NodeRepair& repair) {
    const CheckPlan plan{.repairs = true};
    // Before anything is taken away, which would move the pages.
    const auto associations = associations_naming(content, node.id);
    if (!associations) return associations.error();
    for (const std::string& id : *associations) {
        auto association = content.node(id);
        if (!association) return association.error();
        auto found = check_record(content, plan, *association);
        if (!found) return found.error();
        repair.add(std::move(*found));
        ++repair.associations;
    }
    auto found = check_record(content, plan, node);
    if (!found) return found.error();
    repair.add(std::move(*found));
    return {};
}

/// Features that the node's type demands.
sdk::Result<sdk::Document> repair_features(const BranchContent& content, sdk::Document node,
                                           NodeRepair& repair) {
    sdk::Json fields = node.fields;
    if (auto applied = apply_mandatory_features(content, fields); !applied) return applied.error();
    const auto before = node.fields.find(member::kFeatures);
    const sdk::Json& after = fields[member::kFeatures];
    if (before != node.fields.end() && *before == after) return node;
    for (const auto& [name, config] : after.items()) {
        if (before != node.fields.end() && before->is_object() && before->contains(name)) continue;
        repair.faults.push_back(
            {node.id, "nodes.feature_missing", "the type demands " + name, true});
    }
    return content.context().documents().patch(content.nodes(), node.id,
                                               {{member::kFeatures, after}});
}

/// Pictures that its features ask for, of the attachments that it has now.
sdk::Result<sdk::Document> repair_pictures(const BranchContent& content, sdk::Document node,
                                           NodeRepair& repair) {
    const sdk::Json before = kept_attachments(node.fields);
    sdk::Json attachments = before;
    if (auto derived = derive_pictures(content, node.fields, attachments); !derived)
        return derived.error();
    if (attachments == before) return node;
    repair.faults.push_back({node.id, "nodes.picture_missing",
                             "a picture that a feature asks for was not as its source", true});
    return put_attachments(content, node, attachments);
}

sdk::Json told(const NodeRepair& repair) {
    sdk::Json faults = sdk::Json::array();
    std::size_t repaired = 0;
    for (const ContentFault& fault : repair.faults) {
        if (fault.is_repaired) ++repaired;
        if (faults.size() == kMaxToldFaults) continue;
        faults.push_back({{"_doc", fault.node},
                          {"code", fault.code},
                          {"message", fault.message},
                          {"repaired", fault.is_repaired}});
    }
    sdk::Json answer = {
        {"associations", repair.associations},
        {"faults", repair.faults.size()},
        {"repaired", repaired},
        {"rows", std::move(faults)},
        {"message", repair.faults.empty() ? "nothing was wrong" : "what was wrong is listed"}};
    if (faults.size() < repair.faults.size()) {
        answer["truncated"] = true;
        answer["bound"] = "named_faults";
    }
    return answer;
}

sdk::Result<sdk::Reply> repair_node(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    if (auto free = check_unlocked(*content, call.record()); !free) return free.error();
    NodeRepair repair;
    if (auto done = repair_rows(*content, call.record(), repair); !done) return done.error();
    auto node = repair_features(*content, call.record(), repair);
    if (!node) return node.error();
    auto pictured = repair_pictures(*content, std::move(*node), repair);
    if (!pictured) return pictured.error();
    node = std::move(*pictured);
    auto statistics = readable_statistics_of(*content, *node);
    if (!statistics) return statistics.error();
    sdk::Json shown = std::move(node->fields);
    shown[member::kStatistics] = *std::move(statistics);
    shown[kRepair] = told(repair);
    return sdk::Reply::status(shown);
}

sdk::Shape repaired_node() {
    using sdk::shape::boolean;
    using sdk::shape::integer;
    using sdk::shape::object;
    using sdk::shape::optional;
    using sdk::shape::text;
    const sdk::Shape fault =
        object({{"_doc", text()}, {"code", text()}, {"message", text()}, {"repaired", boolean()}});
    const sdk::Shape repair = cut(object({{"associations", integer()},
                                          {"faults", integer()},
                                          {"repaired", integer()},
                                          {"rows", sdk::shape::array(fault)},
                                          {"message", text()}}));
    return sdk::shape::both(
        written_node(),
        object({optional(member::kStatistics, sdk::shape::map()), optional(kRepair, repair)}));
}

}  // namespace

sdk::Actions node_repair_actions() {
    sdk::Actions actions;
    for (const char* name : {"refresh", "recreate", "repair", "_repair"}) {
        actions.push_back({.name = name,
                           .permission = sdk::Permission::update,
                           .run = operation<&repair_node>(),
                           .slow = true,
                           .answers = repaired_node()});
    }
    return actions;
}

}  // namespace stele::nodes
