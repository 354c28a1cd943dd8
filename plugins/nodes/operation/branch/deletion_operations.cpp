#include <nlohmann/json.hpp>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/attachments.hpp"
#include "branch/parameters.hpp"
#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/history.hpp"
#include "job/jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kPurgeJob[] = "purge-deletions";
/// Deletions that one operation purges, and one step of a job.
constexpr std::int64_t kMaxPurged = 10'000;
constexpr std::int64_t kPurgeStep = 500;

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
        auto gone = documents.remove(deletions_of(*content), id);
        if (!gone) return gone.error();
    }
    return sdk::Reply::status({{"_docs", *ids}});
}

struct Purge {
    std::size_t purged = 0;
    /// Those that stay because the principal may not remove them.
    std::size_t kept = 0;
    bool is_everything = true;
};

/// Purges what the principal may remove of the next `most` deletions; the first `skip` stay.
sdk::Result<Purge> purge_next(const BranchContent& content, const sdk::Session& session,
                              std::uint64_t skip, std::int64_t most) {
    sdk::Context& context = content.context();
    sdk::PageRequest page;
    page.skip = skip;
    page.limit = most;
    auto found = context.documents().query(deletions_of(content), sdk::Json::object(), page);
    if (!found) return found.error();
    Purge purge;
    for (const sdk::Document& deletion : found->rows) {
        auto may = context.authorities().permissions(session.principal.key, deletion.key);
        if (!may) return may.error();
        if (!session.is_system && !may->has(sdk::Permission::remove)) {
            ++purge.kept;
            continue;
        }
        auto gone = context.as_system().documents().remove(deletions_of(content), deletion.id);
        if (!gone) return gone.error();
        ++purge.purged;
    }
    purge.is_everything = found->total_rows <= skip + found->rows.size();
    return purge;
}

sdk::Result<sdk::Reply> purge_all(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto purge = purge_next(*content, call.context().session(), 0, kMaxPurged);
    if (!purge) return purge.error();
    auto reply = sdk::Reply::status({{"purged", purge->purged}, {"kept", purge->kept}});
    if (purge->is_everything) return reply;
    return truncated(std::move(reply), "purged");
}

sdk::Result<sdk::Json> run_purge(Services& services, sdk::Job& job) {
    const std::string branch = sdk::text_member(job.input(), "branch");
    sdk::Session session;
    session.principal = job.run_as();
    Purge sum;
    for (bool is_done = false; !is_done;) {
        if (job.must_stop())
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.deletion_purge_stopped",
                                   "the server stops");
        Purge step;
        auto done = services.registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job.confirm(context.transaction()); !held) return held;
                Changes::of(context, services.branches).act_for(job.run_as());
                auto key = context.find_reference(branch);
                if (!key) return key.error();
                auto content = BranchContent::open(services, context, *key);
                if (!content) return content.error();
                auto next = purge_next(*content, session, sum.kept, kPurgeStep);
                if (!next) return next.error();
                step = *next;
                return {};
            });
        if (!done) return done.error();
        sum.purged += step.purged;
        sum.kept += step.kept;
        is_done = step.is_everything;
        if (auto shown = job.progress(sum.purged + sum.kept, 0); !shown) return shown.error();
    }
    return sdk::Json{{"purged", sum.purged}, {"kept", sum.kept}};
}

sdk::Result<sdk::Reply> start_purge(Services& services, const sdk::Call& call) {
    auto branch = call.context().reference(call.collection().container_key);
    if (!branch) return branch.error();
    auto job =
        services.jobs.start(call.context(), {.type = kPurgeJob, .input = {{"branch", *branch}}});
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

void define_deletion_jobs(Services& services) {
    services.jobs.define({.name = kPurgeJob,
                          .run = [&services](sdk::Job& job) { return run_purge(services, job); }});
}

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
