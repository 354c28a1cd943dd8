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
#include "job/jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kPurgeJob[] = "purge-deletions";
/// Deletions that one operation purges, one step of a job, and that the job lists at once.
constexpr std::size_t kMaxPurged = 10'000;
constexpr std::size_t kPurgeStep = 100;
constexpr std::size_t kListedAtOnce = 1'000;
/// What the job is told: the branch, and the last changeset whose deletions go.
constexpr char kBranch[] = "branch";
constexpr char kUntil[] = "until";

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

/// Whoever purges beside others who write has fewer conflicts with fewer of them: a quarter each
/// time that the work is repeated.
std::size_t fewer_when_repeated(std::size_t most, const sdk::Context& context) {
    return std::max<std::size_t>(1, most >> std::min<std::size_t>(2 * context.attempt(), 32));
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

sdk::Result<void> check_running(const sdk::Job& job) {
    if (!job.must_stop()) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.deletion_purge_stopped",
                           "the server stops");
}

/// Purges the first of the ids, at most `most`, and takes them out of the list. Tells by `most` how
/// many the next step may take: as few as were let through, and more again where nobody came first.
sdk::Result<std::size_t> purge_step(Services& services, sdk::Job& job, Revision until,
                                    std::span<const std::string>& ids, std::size_t& most) {
    std::size_t purged = 0;
    std::size_t taken = 0;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto content =
                open_for(services, context, job.run_as(), sdk::text_member(job.input(), kBranch));
            if (!content) return content.error();
            taken = fewer_when_repeated(most, context);
            auto step = purge_deletions(*content, until, ids.first(std::min(ids.size(), taken)));
            if (!step) return step.error();
            purged = *step;
            return {};
        });
    if (!done) return done.error();
    ids = ids.subspan(std::min(ids.size(), taken));
    most = taken < most ? taken : std::min(2 * most, kPurgeStep);
    return purged;
}

/// Those that were there when it was started: whoever goes on deleting would keep it running.
sdk::Result<sdk::Json> run_purge(Services& services, sdk::Job& job) {
    // Those of older servers have no end.
    const auto until = job.input().value(kUntil, kUncommitted);
    PurgeList list(services, job.platform(), job.run_as(), sdk::text_member(job.input(), kBranch),
                   until);
    std::size_t purged = 0;
    std::size_t most = kPurgeStep;
    while (!list.is_at_end()) {
        auto ids = list.next(kListedAtOnce, [&] { return check_running(job); });
        if (!ids) return ids.error();
        for (std::span<const std::string> left = *ids; !left.empty();) {
            if (auto runs = check_running(job); !runs) return runs.error();
            auto step = purge_step(services, job, until, left, most);
            if (!step) return step.error();
            purged += *step;
            if (auto shown = job.progress(purged + list.kept(), 0); !shown) return shown.error();
        }
    }
    return sdk::Json{{"purged", purged}, {"kept", list.kept()}};
}

sdk::Result<sdk::Reply> start_purge(Services& services, const sdk::Call& call) {
    auto branch = call.context().reference(call.collection().container_key);
    if (!branch) return branch.error();
    // Not in the transaction, which would conflict with everybody who writes to the branch.
    const auto store = services.registrar.engine().snapshot();
    auto place = services.branches.find(*store, call.collection().container_key);
    if (!place) return place.error();
    auto tip = services.branches.tip(*store, *place);
    if (!tip) return tip.error();
    auto job = services.jobs.start(
        call.context(), {.type = kPurgeJob, .input = {{kBranch, *branch}, {kUntil, *tip}}});
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
