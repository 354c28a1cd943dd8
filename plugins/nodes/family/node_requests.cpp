#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "attachment/attachment_writer.hpp"
#include "branch/client_members.hpp"
#include "branch/vocabulary.hpp"
#include "family/node_family.hpp"
#include "graph/mounts.hpp"
#include "graph/new_node.hpp"
#include "graph/node_view.hpp"
#include "job/index_job.hpp"
#include "operation/operations.hpp"

// What nodes declare, and what requests ask of them; writes are in node_family.cpp.

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxNodes = 10'000;

}  // namespace

sdk::ResourceDescriptor NodeFamily::describe() const {
    using enum sdk::FieldKind;
    return {.type = kNodeType,
            .container = kBranchType,
            .path = "nodes",
            .placeholder = kNodeId,
            .path_aliases = {"n"},
            .fields = {{.name = member::kQName, .kind = text, .addresses = true},
                       {.name = member::kType, .kind = text},
                       {.name = "_system.changeset", .unindexed = true},
                       {.name = "_system.previousChangeset", .unindexed = true}},
            .operations = {.query_by_get = true},
            .permissions = {.list = sdk::Permission::read},
            .creating = {.parameters = placement_parameters(),
                         .is_placed = true,
                         .most = kMaxNodes,
                         .takes_forms = true},
            .listing = {.has_own_rows = true},
            .querying = {.aliases = {"query/deep"}},
            .reading = {.parameters = view_parameters(), .is_shown = true},
            .actions = node_actions(),
            .has_space = true,
            .is_ungranted = true,
            .policy_facts = {"path", "changeset", "qname", "type-qname", "feature", "definition"},
            .checks_at_container = true,
            .presented_by = {"paths"},
            .reference_words = {"association"},
            .slow_writes = true,
            .title = "nodes"};
}

sdk::Result<void> NodeFamily::present(const sdk::Call& call, sdk::Json& record) {
    auto content = BranchContent::open(services(), call.context(), call.collection().container_key);
    if (!content) return content.error();
    sdk::Document node;
    node.id = sdk::text_member(record, "_doc");
    node.fields = std::move(record);
    auto shown = shown_row(*content, call, std::move(node));
    if (!shown) return shown.error();
    record = std::move(*shown);
    return {};
}

sdk::Result<sdk::Json> NodeFamily::locate(const sdk::Call&, const sdk::Parameters& parameters,
                                          sdk::Json& fields) {
    return locate_node(parameters, fields);
}

sdk::Result<std::optional<sdk::Document>> NodeFamily::place(const sdk::Call& call,
                                                            const sdk::Document& record,
                                                            const sdk::Json& where) {
    auto content = content_of(services(), call);
    if (!content) return content.error();
    return place_node(*content, record, where);
}

sdk::Result<sdk::Attachment> NodeFamily::keep_file(const sdk::Call& call,
                                                   const sdk::IncomingFile& file,
                                                   const sdk::PieceSource& read) {
    auto content = content_of(services(), call);
    if (!content) return content.error();
    return store_attachment(*content, file, read);
}

sdk::Result<void> NodeFamily::attach(const sdk::Call& call,
                                     const std::vector<sdk::FiledRecord>& files) {
    auto content = content_of(services(), call);
    if (!content) return content.error();
    for (const sdk::FiledRecord& filed : files) {
        auto put = put_attachments(*content, filed.record, {{filed.file.id, filed.file.to_json()}});
        if (!put) return put.error();
    }
    return start_index_job(*content);
}

sdk::Result<sdk::ShownRecord> NodeFamily::show(const sdk::Call& call) {
    auto content = content_of(services(), call);
    if (!content) return content.error();
    return shown_node(*content, call);
}

sdk::Result<void> NodeFamily::complete_query(const sdk::Call&, sdk::Json& query) {
    rename_queried_features(query);
    return {};
}

sdk::Result<std::vector<sdk::Json>> NodeFamily::rows(const sdk::Call& call) {
    auto content = content_of(services(), call);
    if (!content) return content.error();
    return mounted_rows(*content);
}

}  // namespace stele::nodes
