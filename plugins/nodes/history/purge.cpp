#include "history/purge.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/history.hpp"

namespace stele::nodes {

namespace {

/// Ids that are listed at once.
constexpr std::size_t kListedAtOnce = 1'000;
/// Associations at one end that go in one transaction with their node, and how often that begins
/// again before they are left to a job.
constexpr std::size_t kPurgedAlong = 100;
constexpr std::size_t kMostRepetitions = 2;
/// Nodes that one job is told of.
constexpr std::size_t kNodesOfJob = 10'000;

constexpr char kBranch[] = "branch";
constexpr char kUntil[] = "until";
constexpr char kLine[] = "line";
constexpr char kNodes[] = "nodes";

void purge_later(const BranchContent& content, const std::string& node) {
    Services& services = content.services();
    Changes& changes = content.changes();
    changes.purged_nodes()[content.branch()].push_back(node);
    changes.write_last("purged", [&services](sdk::Context& context) -> sdk::Result<void> {
        const auto left = std::exchange(Changes::of(context, services.branches).purged_nodes(), {});
        for (const auto& [branch, nodes] : left) {
            auto started = start_association_purge(services, context, branch, nodes);
            if (!started) return started;
        }
        return {};
    });
}

}  // namespace

sdk::Result<std::vector<std::string>> PurgeList::next(
    std::size_t most, const std::function<sdk::Result<void>()>& go_on) {
    std::vector<std::string> found;
    while (!is_at_end_ && found.size() < most) {
        const auto look = [&](sdk::Context& context) -> sdk::Result<void> {
            auto content = BranchContent::open_for(services_, context, principal_, branch_);
            if (!content) return content.error();
            auto ids = ids_after(*content, kDeletionSlot, last_, kListedAtOnce);
            if (!ids) return ids.error();
            is_at_end_ = ids->size() < kListedAtOnce;
            for (const std::string& id : *ids) {
                if (found.size() >= most) {
                    is_at_end_ = false;
                    break;
                }
                if (auto more = go_on(); !more) return more;
                if (auto looked = look_at(*content, id, found); !looked) return looked;
                last_ = id;
            }
            return {};
        };
        // Nothing is written, so it is never repeated.
        if (auto done = services_.registrar.run_as_system(platform_, look); !done)
            return done.error();
    }
    return found;
}

sdk::Result<void> PurgeList::look_at(const BranchContent& content, const std::string& id,
                                     std::vector<std::string>& found) {
    auto deletion = content.context().documents().read(deletions_of(content), id);
    if (!deletion) return deletion.error();
    if (revision_of_deletion(deletion->fields).value_or(0) > until_) return {};
    auto may = content.may(deletion->key, sdk::Permission::remove);
    if (!may) return may.error();
    if (*may) {
        found.push_back(id);
        return {};
    }
    auto is_readable = content.may(deletion->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (*is_readable) ++kept_;
    return {};
}

sdk::Result<std::size_t> purge_deletions(const BranchContent& content, Revision until,
                                         std::span<const std::string> ids) {
    std::size_t purged = 0;
    for (const std::string& id : ids) {
        auto deletion = content.context().documents().read(deletions_of(content), id);
        if (!deletion && sdk::is_missing(deletion.error())) continue;
        if (!deletion) return deletion.error();
        if (revision_of_deletion(deletion->fields).value_or(0) > until) continue;
        auto may = content.may(deletion->key, sdk::Permission::remove);
        if (!may) return may.error();
        if (!*may) continue;
        if (!is_association(deletion->fields)) {
            auto along = purge_associations_of(content, id);
            if (!along) return along.error();
            purged += *along;
        }
        // As the server, for whom the family does not look for associations again.
        auto gone = content.context().as_system().documents().remove(deletions_of(content), id);
        if (!gone) return gone.error();
        ++purged;
    }
    return purged;
}

sdk::Result<std::vector<std::string>> deletions_at(const BranchContent& content, const char* end,
                                                   const std::string& node, std::size_t passed,
                                                   std::size_t most) {
    sdk::PageRequest page;
    page.skip = passed;
    page.limit = static_cast<std::int64_t>(most);
    // One value of one member is found by its index, however many have it. With more conditions the
    // whole trash may be read, which is a conflict with everybody who deletes.
    const sdk::Json query = {{end, node}, {"_fields", {{"_doc", 1}}}};
    auto found = content.context().documents().query(deletions_of(content), query, page);
    if (!found) return found.error();
    std::vector<std::string> ids;
    for (sdk::Document& deletion : found->rows)
        ids.push_back(std::move(deletion.id));
    return ids;
}

sdk::Result<PurgedAssociations> purge_associations(const BranchContent& content, Revision until,
                                                   std::span<const std::string> ids) {
    sdk::Documents& documents = content.context().as_system().documents();
    PurgedAssociations done;
    for (const std::string& id : ids) {
        auto deletion = documents.read(deletions_of(content), id);
        if (!deletion && sdk::is_missing(deletion.error())) continue;
        if (!deletion) return deletion.error();
        if (!is_association(deletion->fields) ||
            revision_of_deletion(deletion->fields).value_or(0) > until) {
            ++done.kept;
            continue;
        }
        if (auto gone = documents.remove(deletions_of(content), id); !gone) return gone.error();
        ++done.purged;
    }
    return done;
}

sdk::Result<std::size_t> purge_associations_of(const BranchContent& content,
                                               const std::string& node) {
    if (content.context().attempt() > kMostRepetitions) {
        purge_later(content, node);
        return std::size_t{0};
    }
    std::size_t purged = 0;
    for (const char* end : kAssociationEnds) {
        auto ids = deletions_at(content, end, node, 0, kPurgedAlong + 1);
        if (!ids) return ids.error();
        if (ids->size() > kPurgedAlong) {
            // The job looks at both ends.
            purge_later(content, node);
            return purged;
        }
        auto done = purge_associations(content, kUncommitted, *ids);
        if (!done) return done.error();
        purged += done->purged;
    }
    return purged;
}

sdk::Result<void> start_association_purge(Services& services, sdk::Context& context,
                                          const sdk::RecordKey& branch,
                                          std::span<const std::string> nodes) {
    // The server's: whoever purges the node need not be allowed to purge each of them.
    sdk::Context& server = context.as_system();
    auto order = PurgeOrder::now(services, server, branch);
    if (!order) return order.error();
    while (!nodes.empty()) {
        const auto some = nodes.first(std::min(nodes.size(), kNodesOfJob));
        nodes = nodes.subspan(some.size());
        sdk::NewJob job = order->job(kAssociationPurgeJob);
        job.hidden[kNodes] = some;
        if (auto started = services.jobs.start(server, job); !started) return started.error();
    }
    return {};
}

std::vector<std::string> purged_nodes(const sdk::Job& job) {
    return job.hidden().at(kNodes).get<std::vector<std::string>>();
}

std::size_t fewer_when_repeated(std::size_t most, const sdk::Context& context) {
    return std::max<std::size_t>(1, most >> std::min<std::size_t>(2 * context.attempt(), 32));
}

sdk::Result<PurgeOrder> PurgeOrder::now(Services& services, sdk::Context& context,
                                        const sdk::RecordKey& branch) {
    auto reference = context.reference(branch);
    if (!reference) return reference.error();
    // Not in the transaction, which would conflict with everybody who writes to the branch.
    const auto store = services.registrar.engine().snapshot();
    auto place = services.branches.find(*store, branch);
    if (!place) return place.error();
    auto tip = services.branches.tip(*store, *place);
    if (!tip) return tip.error();
    return PurgeOrder{std::move(*reference), *tip, place->line};
}

PurgeOrder PurgeOrder::of(const sdk::Job& job) {
    return {sdk::text_member(job.input(), kBranch), job.hidden().at(kUntil).get<Revision>(),
            job.hidden().at(kLine).get<Line>()};
}

sdk::NewJob PurgeOrder::job(const char* type) const {
    return {.type = type, .input = {{kBranch, branch}}, .hidden = {{kUntil, until}, {kLine, line}}};
}

sdk::Result<BranchContent> PurgeOrder::open(Services& services, sdk::Context& context,
                                            const sdk::Principal& principal) const {
    auto content = BranchContent::open_for(services, context, principal, branch);
    if (!content || content->place().line == line) return content;
    // By a load it has got a line that goes on with all of it.
    auto view = services.branches.view(context.transaction(), content->place());
    if (!view) return view.error();
    if (view->goes_on_from(line)) return content;
    return sdk::make_error(sdk::ErrorKind::conflict, kPurgeOvertaken,
                           "the branch was reset; what that brought back is not purged");
}

}  // namespace stele::nodes
