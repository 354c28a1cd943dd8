#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/attachments.hpp"
#include "branch/parameters.hpp"
#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/history.hpp"
#include "history/purge.hpp"
#include "job/purge_job.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// Deletions that one operation purges.
constexpr std::size_t kMaxPurged = 10'000;

sdk::Result<sdk::Reply> restore_deleted(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = content->require_create(); !may) return may.error();
    auto restored = restore_deletion(*content, call.record().id, call.body());
    if (!restored) return restored.error();
    return sdk::Reply::status(restored->fields);
}

/// The same by the path that the node had.
sdk::Result<sdk::Reply> undelete(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const std::string id(call.path(kNodeId));
    auto deletion = sdk::if_readable(call.context(),
                                     call.context().documents().read(deletions_of(*content), id));
    if (!deletion) return deletion.error();
    if (!*deletion) {
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               "there is no deletion " + id);
    }
    if (auto may = content->require(**deletion, sdk::Permission::update); !may) return may.error();
    if (auto may = content->require_create(); !may) return may.error();
    auto restored = restore_deletion(*content, (*deletion)->id, call.body());
    if (!restored) return restored.error();
    return sdk::Reply::status(restored->fields);
}

sdk::Result<sdk::Reply> list_deleted_attachments(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto last = newest_version(*content, call.record().id);
    if (!last) return last.error();
    return attachment_page(services, call, kept_attachments(*last));
}

sdk::Result<sdk::Reply> download_deleted_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto last = newest_version(*content, call.record().id);
    if (!last) return last.error();
    return attachment_download(*content, call, *last);
}

/// All or none of them.
sdk::Result<sdk::Reply> purge_listed(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto ids = id_list(call);
    if (!ids) return ids.error();
    sdk::Documents& documents = content->context().documents();
    for (const std::string& id : *ids) {
        auto deletion =
            sdk::if_readable(content->context(), documents.read(deletions_of(*content), id));
        if (!deletion) return deletion.error();
        if (!*deletion) {
            return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                                   "there is no deletion " + id);
        }
        if (auto may = content->require(**deletion, sdk::Permission::remove); !may)
            return may.error();
    }
    for (const std::string& id : *ids) {
        auto gone = documents.remove(deletions_of(*content), id);
        // With a node go its associations.
        if (!gone && !sdk::is_missing(gone.error())) return gone.error();
    }
    return sdk::Reply::status({{"_docs", *ids}});
}

sdk::Result<sdk::Reply> purge_all(Services& services, const sdk::Call& call) {
    sdk::Context& context = call.context();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto branch = context.reference(content->branch());
    if (!branch) return branch.error();
    // What is newer than the list this transaction does not see.
    PurgeList list(services, context.platform(), content->principal(), *branch, kUncommitted);
    auto ids = list.next(fewer_when_repeated(kMaxPurged, context), [&] { return context.go_on(); });
    if (!ids) return ids.error();
    auto purged = purge_deletions(*content, kUncommitted, *ids);
    if (!purged) return purged.error();
    auto reply = sdk::Reply::status({{"purged", *purged}, {"kept", list.kept()}});
    if (list.is_at_end()) return reply;
    return truncated(std::move(reply), "purged");
}

sdk::Result<sdk::Reply> start_purge(Services& services, const sdk::Call& call) {
    auto job = start_purge_job(services, call.context(), call.collection().container_key);
    if (!job) return job.error();
    return sdk::reply_of_started(services.jobs, call, *job);
}

/// The ids themselves, or in an object.
sdk::Shape listed_ids() {
    using namespace sdk::shape;
    return either({array(text()), object({optional("_docs", array(text()))})});
}

sdk::Shape purged() {
    using sdk::shape::integer;
    return cut(sdk::shape::status({{"purged", integer()}, {"kept", integer()}}));
}

}  // namespace

sdk::Actions node_undelete_actions() {
    return {{.name = "{nodeId}/undelete",
             .scope = sdk::ActionScope::collection,
             .permission = sdk::Permission::connect,
             .run = operation<&undelete>(),
             .parameters = with_projection(),
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()}};
}

sdk::Actions deletion_actions() {
    using enum sdk::ActionScope;
    using enum sdk::Permission;
    return {{.name = "delete",
             .scope = collection,
             .permission = connect,
             .run = operation<&purge_listed>(),
             .array_body = true,
             .urgent = true,
             .takes = listed_ids(),
             .answers = sdk::shape::status({ids_member()})},
            {.name = "purgeall",
             .scope = collection,
             .permission = connect,
             .run = operation<&purge_all>(),
             .slow = true,
             .urgent = true,
             .answers = purged()},
            {.name = "purgeall/start",
             .scope = collection,
             .permission = connect,
             .run = operation<&start_purge>(),
             .answers = sdk::shape::job()},
            {.name = "restore",
             .permission = update,
             .run = operation<&restore_deleted>(),
             .parameters = with_projection(),
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()},
            {.name = "attachments",
             .method = "GET",
             .run = operation<&list_deleted_attachments>(),
             .paged = true,
             .answers = sdk::shape::page(sdk::shape::record("Attachment"))},
            {.name = "attachments/{attachmentId}",
             .method = "GET",
             .run = operation<&download_deleted_attachment>(),
             .parameters = {{"a", false, sdk::FieldKind::boolean}, {"filename"}},
             .answers = sdk::shape::bytes()}};
}

}  // namespace stele::nodes
