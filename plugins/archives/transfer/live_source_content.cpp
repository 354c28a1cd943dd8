#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"
#include "transfer/live_source.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

sdk::ContentSelection LiveSource::selection_of(const Content& content) const {
    sdk::ContentSelection selection;
    selection.branch = content.branch;
    selection.nodes = content.nodes;
    selection.start_ms = wanted_.start_ms;
    selection.end_ms = wanted_.end_ms;
    selection.has_attachments = wanted_.takes_attachments();
    selection.has_folders = wanted_.has_folders;
    selection.has_relators = wanted_.has_relators;
    selection.has_relating_associations = wanted_.has_relating_associations;
    selection.has_history = content.nodes.empty() && !wanted_.is_tip_only;
    const bool is_state = !selection.has_history && wanted_.start_changeset.empty();
    (is_state ? selection.changeset : selection.end_changeset) = wanted_.end_changeset;
    selection.start_changeset = wanted_.start_changeset;
    return selection;
}

sdk::Result<std::string> LiveSource::state_of(const Content& content) const {
    if (!wanted_.end_changeset.empty()) return wanted_.end_changeset;
    auto branch = json_of(services_.operations.on_record(context_, content.branch, {}));
    // Whoever may read a node need not read the branch around it.
    if (!branch && is_out_of_sight(branch.error())) return std::string("tip");
    if (!branch) return branch.error();
    return sdk::text_member(*branch, "tip");
}

sdk::Result<void> LiveSource::visit_content(
    sdk::ContentTransfer& transfer, const Content& content,
    const std::function<sdk::Result<void>(const TransferContent&)>& visit) {
    const sdk::ContentSelection selection = selection_of(content);
    sdk::ContentOmissions left_out;
    auto source = transfer.open(context_, selection, left_out);
    if (!source) return source.error();
    const sdk::CollectionName nodes{kNode, {}, content.branch};
    if (auto noted = note_reach(nodes); !noted) return noted;
    if (wanted_.has_acls) {
        auto may = sdk::holds(context_, content.branch, sdk::Permission::connect);
        if (!may) return may.error();
        omissions_.may_be_partial = omissions_.may_be_partial || !*may;
    }
    auto branch = context_.reference(content.branch);
    if (!branch) return branch.error();
    auto repository = services_.families.container_of(context_, content.branch);
    if (!repository) return repository.error();
    auto reference = context_.reference(**repository);
    if (!reference) return reference.error();
    auto location = location_of(**repository);
    if (!location) return location.error();
    auto state =
        selection.has_history ? sdk::Result<std::string>(std::string()) : state_of(content);
    if (!state) return state.error();
    const auto changeset = [this, &reference](const std::string& id) -> sdk::Result<sdk::Json> {
        ReferenceParts parts = reference_parts(*reference);
        parts.word = "changeset";
        parts.ids.push_back(id);
        auto record = context_.read_reference(parts.text());
        if (record || !sdk::is_missing(record.error())) return record;
        return sdk::Json{{"_doc", id}};
    };
    const auto acl = [this, &branch](const std::string& node) {
        return acl_of_node(*branch, node);
    };
    auto reads_all = context_.documents().reads_all(nodes);
    if (!reads_all) return reads_all.error();
    std::unique_ptr<sdk::ContentSource> noting;
    if (*reads_all) {
        told_.add_whole(nodes);
    } else {
        ReferenceParts parts = reference_parts(*branch);
        parts.word = kNode;
        parts.ids.emplace_back();
        noting = told_.noting(**source, parts.text());
    }
    auto visited = visit({.branch = *branch,
                          .repository = *reference,
                          .location = *location,
                          .nodes = content.nodes,
                          .state = *state,
                          .source = noting ? *noting : **source,
                          .changeset = changeset,
                          .acl = acl});
    return visited;
}

sdk::Result<void> LiveSource::for_each_content(
    const std::function<sdk::Result<void>(const TransferContent&)>& visit) {
    sdk::ContentTransfer* const transfer = services_.content();
    if (!transfer) return {};
    for (const Content& content : contents_) {
        const bool is_in_another =
            !content.nodes.empty() &&
            std::any_of(contents_.begin(), contents_.end(), [&content](const Content& other) {
                return other.branch == content.branch && other.nodes.empty();
            });
        if (is_in_another) continue;
        if (auto visited = visit_content(*transfer, content, visit); !visited) return visited;
    }
    return {};
}

sdk::Result<sdk::Json> LiveSource::acl_of_node(const std::string& branch, const std::string& node) {
    if (!wanted_.has_acls) return sdk::Json::array();
    ReferenceParts parts = reference_parts(branch);
    parts.word = kNode;
    parts.ids.push_back(node);
    auto key = context_.find_reference(parts.text());
    // A version of a node that is gone.
    if (!key && sdk::is_missing(key.error())) return sdk::Json::array();
    if (!key) return key.error();
    auto granted = context_.authorities().acl(*key);
    if (!granted) return granted.error();
    // Nearly no node has grants of its own.
    if (granted->empty()) return sdk::Json::array();
    // Whether it can be seen is told of the whole branch: of this node it would tell that it has
    // some.
    const bool may_be_partial = omissions_.may_be_partial;
    auto acl = acl_of(*key, *services_.families.find(kNode));
    omissions_.may_be_partial = may_be_partial;
    return acl;
}

}  // namespace stele::archives
