#include <algorithm>
#include <optional>
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
#include "job/jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kPurgeJob[] = "purge-deletions";
/// Deletions that one operation purges, one step of a job, and that are listed at once.
constexpr std::size_t kMaxPurged = 10'000;
constexpr std::size_t kPurgeStep = 100;
constexpr std::size_t kListedAtOnce = 1'000;

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
};

struct ListedDeletions {
    std::vector<std::string> ids;
    /// Of all, listed or not.
    std::size_t total = 0;
};

/// The ids of at most `most` deletions after the first `skip`, as they are at this moment: read
/// apart from the transaction that purges, because whoever lists them in it has a conflict with
/// everybody who deletes meanwhile. Waits for the store.
sdk::Result<ListedDeletions> list_deletions(Services& services, const sdk::PlatformScope& platform,
                                            const sdk::CollectionName& deletions, std::size_t skip,
                                            std::size_t most) {
    ListedDeletions listed;
    const auto read = [&](sdk::Context& context) -> sdk::Result<void> {
        listed = {};
        for (bool is_everything = false; !is_everything && listed.ids.size() < most;) {
            sdk::PageRequest page;
            page.skip = skip + listed.ids.size();
            page.limit = std::int64_t(std::min(most - listed.ids.size(), kListedAtOnce));
            auto found = context.documents().query(deletions, sdk::Json::object(), page);
            if (!found) return found.error();
            for (sdk::Document& row : found->rows)
                listed.ids.push_back(std::move(row.id));
            listed.total = found->total_rows;
            is_everything = found->rows.empty() || listed.total <= skip + listed.ids.size();
        }
        return {};
    };
    if (auto done = services.registrar.run_as_system(platform, read); !done) return done.error();
    return listed;
}

/// Purges those of the deletions that are still there and that the principal may remove.
sdk::Result<Purge> purge_deletions(const BranchContent& content, const sdk::Session& session,
                                   std::span<const std::string> ids) {
    sdk::Context& context = content.context();
    Purge purge;
    for (const std::string& id : ids) {
        auto deletion = context.documents().read(deletions_of(content), id);
        if (!deletion && sdk::is_missing(deletion.error())) continue;
        if (!deletion) return deletion.error();
        auto may = context.authorities().permissions(session.principal.key, deletion->key);
        if (!may) return may.error();
        if (!session.is_system && !may->has(sdk::Permission::remove)) {
            ++purge.kept;
            continue;
        }
        auto gone = context.as_system().documents().remove(deletions_of(content), id);
        if (!gone) return gone.error();
        ++purge.purged;
    }
    return purge;
}

/// Whoever purges beside others who write has fewer conflicts with fewer of them: a quarter each
/// time that the work is repeated.
std::size_t fewer_when_repeated(std::size_t most, const sdk::Context& context) {
    return std::max<std::size_t>(1, most >> std::min<std::size_t>(2 * context.attempt(), 32));
}

sdk::Result<sdk::Reply> purge_all(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto listed = list_deletions(services, call.context().platform(), deletions_of(*content), 0,
                                 fewer_when_repeated(kMaxPurged, call.context()));
    if (!listed) return listed.error();
    auto purge = purge_deletions(*content, call.context().session(), listed->ids);
    if (!purge) return purge.error();
    auto reply = sdk::Reply::status({{"purged", purge->purged}, {"kept", purge->kept}});
    if (listed->ids.size() >= listed->total) return reply;
    return truncated(std::move(reply), "purged");
}

/// A job's branch, opened in the name of whoever the job runs for.
sdk::Result<BranchContent> open_branch_of(Services& services, sdk::Job& job,
                                          sdk::Context& context) {
    Changes::of(context, services.branches).act_for(job.run_as());
    auto key = context.find_reference(sdk::text_member(job.input(), "branch"));
    if (!key) return key.error();
    return BranchContent::open(services, context, *key);
}

/// Purges the first of the ids, as many as one step may, and takes them out of the list.
sdk::Result<Purge> purge_step(Services& services, sdk::Job& job,
                              std::span<const std::string>& ids) {
    sdk::Session session;
    session.principal = job.run_as();
    Purge purge;
    std::size_t seen = 0;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto content = open_branch_of(services, job, context);
            if (!content) return content.error();
            seen = std::min(ids.size(), fewer_when_repeated(kPurgeStep, context));
            auto purged = purge_deletions(*content, session, ids.first(seen));
            if (!purged) return purged.error();
            purge = *purged;
            return {};
        });
    if (!done) return done.error();
    ids = ids.subspan(seen);
    return purge;
}

sdk::Result<sdk::CollectionName> deletions_of_job(Services& services, sdk::Job& job) {
    sdk::CollectionName deletions;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto content = open_branch_of(services, job, context);
            if (!content) return content.error();
            deletions = deletions_of(*content);
            return {};
        });
    if (!done) return done.error();
    return deletions;
}

sdk::Result<sdk::Json> run_purge(Services& services, sdk::Job& job) {
    auto deletions = deletions_of_job(services, job);
    if (!deletions) return deletions.error();
    Purge sum;
    // Those that were there when it began: whoever goes on deleting would keep it running for good.
    std::optional<std::size_t> wanted;
    for (std::size_t seen = 0; seen < wanted.value_or(1);) {
        const std::size_t most = std::min(kListedAtOnce, wanted.value_or(kListedAtOnce) - seen);
        auto listed = list_deletions(services, job.platform(), *deletions, sum.kept, most);
        if (!listed) return listed.error();
        if (listed->ids.empty()) break;
        if (!wanted) wanted = listed->total;
        seen += listed->ids.size();
        for (std::span<const std::string> left = listed->ids; !left.empty();) {
            if (job.must_stop())
                return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.deletion_purge_stopped",
                                       "the server stops");
            auto step = purge_step(services, job, left);
            if (!step) return step.error();
            sum.purged += step->purged;
            sum.kept += step->kept;
            if (auto shown = job.progress(sum.purged + sum.kept, 0); !shown) return shown.error();
        }
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
