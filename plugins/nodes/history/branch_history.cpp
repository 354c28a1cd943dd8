#include "history/branch_history.hpp"

#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/changeset_id.hpp"
#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

/// The revision of an end, which the view of the tip must show.
sdk::Result<Revision> shown_revision(const BranchContent& content, const std::string& changeset,
                                     const char* parameter) {
    const auto revision = revision_of(changeset);
    if (!revision) return sdk::invalid_parameter(parameter, "must be the id of a changeset");
    auto view = content.services().branches.view(content.context().transaction(), content.place(),
                                                 *revision);
    if (!view) return view.error();
    return *revision;
}

}  // namespace

sdk::Result<BranchHistory> read_history(const BranchContent& content, const HistoryRange& range,
                                        std::size_t most) {
    const sdk::Reader& store = content.context().transaction();
    const VersionSpace space = content.services().branches.space(content.place());
    BranchHistory history;
    history.view = content.view().view();
    if (!range.tip.empty()) {
        auto tip = shown_revision(content, range.tip, "tip");
        if (!tip) return tip.error();
        auto view = content.services().branches.view(store, content.place(), *tip);
        if (!view) return view.error();
        history.view = std::move(*view);
    }
    Revision first = 0;
    if (!range.root.empty()) {
        auto root = shown_revision(content, range.root, "root");
        if (!root) return root.error();
        first = *root + (range.includes_root ? 0 : 1);
    }
    Pace pace(content.context());
    for (const Link& link : history.view.links) {
        const std::string rows = space.changes(link.line);
        std::string end = rows;
        append_number(end, link.is_tip() ? kUncommitted : link.bound + 1);
        const auto cursor = store.scan({rows, end}, sdk::ScanDirection::backward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may.error();
            const Revision revision = read_number(cursor->key().substr(rows.size()));
            if (revision < first) return history;
            if (history.changesets.size() == most) {
                history.is_truncated = true;
                return history;
            }
            history.changesets.push_back({link.line, revision});
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    return history;
}

sdk::Result<bool> may_read_node(const BranchContent& content, const sdk::Session& session,
                                const std::string& node) {
    sdk::Documents& documents = content.context().documents();
    auto record = documents.read(content.nodes(), node);
    if (!record && sdk::is_missing(record.error()))
        record = documents.read(deletions_of(content), node);
    if (!record && !sdk::is_missing(record.error())) return record.error();
    if (session.is_system) return true;
    // Purged: nobody can say any more who could read it, but for those who read everything.
    const bool is_own = content.context().session().principal.key == session.principal.key;
    if (!record) return is_own ? content.reads_all() : sdk::Result<bool>(false);
    auto may = content.context().authorities().permissions(session.principal.key, record->key);
    if (!may) return may.error();
    return may->has(sdk::Permission::read);
}

sdk::Result<NodeChanges> read_changes(const BranchContent& content, const sdk::Session& session,
                                      const BranchHistory& history, std::size_t most) {
    const sdk::Reader& store = content.context().transaction();
    const VersionSpace space = content.services().branches.space(content.place());
    NodeChanges found;
    found.is_truncated = history.is_truncated;
    std::unordered_map<std::string, std::size_t> known;
    Pace pace(content.context());
    for (const VersionPlace& changeset : history.changesets) {
        std::string rows = space.written(changeset.line);
        auto in_row = row_revision(store, space, changeset.line, changeset.revision);
        if (!in_row) return in_row.error();
        append_number(rows, *in_row);
        const auto cursor = store.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may.error();
            const std::string node = node_of_record_key(cursor->key().substr(rows.size()));
            if (node.empty()) continue;
            const auto [place, is_new] = known.emplace(node, found.changes.size());
            if (!is_new) {
                found.changes[place->second].first = changeset;
                continue;
            }
            if (found.changes.size() == most) {
                known.erase(place);
                found.is_truncated = true;
                continue;
            }
            const bool is_removed = cursor->value() == std::string_view(&kRemoved, 1);
            found.changes.push_back({node, changeset, changeset, is_removed});
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    std::vector<NodeChange> readable;
    for (NodeChange& change : found.changes) {
        auto may = may_read_node(content, session, change.node);
        if (!may) return may.error();
        if (*may) readable.push_back(std::move(change));
    }
    found.changes = std::move(readable);
    return found;
}

sdk::Result<sdk::Json> change_row(const BranchContent& content, const BranchHistory& history,
                                  const NodeChange& change, std::size_t& left) {
    if (auto may = content.context().go_on(); !may) return may.error();
    const History versions(content.context().transaction(),
                           content.services().branches.space(content.place()), history.view);
    sdk::Json before = sdk::Json::object();
    auto former = versions.before(change.node, change.first);
    if (!former) return former.error();
    if (*former) {
        auto record = versions.read(change.node, **former);
        if (!record) return record.error();
        if (*record) before = std::move(**record);
    }
    sdk::Json after = sdk::Json::object();
    if (!change.is_removed) {
        auto record = versions.read(change.node, change.last);
        if (!record) return record.error();
        if (*record) after = std::move(**record);
    }
    auto patch = difference(before, after, left);
    if (!patch) return patch.error();
    const char* const done = change.is_removed ? "delete" : *former ? "update" : "create";
    const sdk::Json& shown = change.is_removed ? before : after;
    return sdk::Json{{"_doc", change.node},
                     {member::kType, sdk::text_member(shown, member::kType)},
                     {member::kQName, sdk::text_member(shown, member::kQName)},
                     {member::kIsAssociation, is_association(shown)},
                     {"operation", done},
                     {"revision", revision_number(change.last.revision)},
                     {"diff", *std::move(patch)}};
}

}  // namespace stele::nodes
