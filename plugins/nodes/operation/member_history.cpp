#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/changesets.hpp"
#include "history/history.hpp"
#include "merge/value_path.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kMemberPath[] = "path";
/// Versions of the node that are looked at, on each branch that a value has come through.
constexpr std::size_t kMaxVersions = 10'000;
constexpr std::size_t kMaxMerges = 50;

/// A version of the node, with what the member says in it.
struct MemberVersion {
    VersionPlace place;
    std::optional<sdk::Json> value;
};

bool says_same(const std::optional<sdk::Json>& one, const std::optional<sdk::Json>& other) {
    if (!one || !other) return !one && !other;
    return sdk::is_same_json(*one, *other);
}

/// Who wrote each value of a member of one node, on which branch, and through which merges it came.
class MemberHistory {
public:
    MemberHistory(const BranchContent& content, const Changesets& changesets, std::string node,
                  std::string path)
        : content_(content),
          changesets_(changesets),
          node_(std::move(node)),
          path_(std::move(path)) {}

    bool is_truncated() const { return is_truncated_; }

    sdk::Result<std::vector<sdk::Json>> rows() {
        const History history(content_);
        auto versions = changed_versions(history);
        if (!versions) return versions.error();
        std::vector<sdk::Json> rows;
        for (const MemberVersion& version : *versions) {
            auto row = row_of(version);
            if (!row) return row.error();
            rows.push_back(*std::move(row));
        }
        return rows;
    }

private:
    /// Those that have another value than the version before, newest first.
    sdk::Result<std::vector<MemberVersion>> changed_versions(const History& history) {
        auto found = history.versions(node_, kMaxVersions);
        if (!found) return found.error();
        is_truncated_ = is_truncated_ || found->is_truncated;
        std::vector<MemberVersion> changed;
        // Oldest first, so that each is compared with the one before.
        std::optional<sdk::Json> former;
        for (auto place = found->places.rbegin(); place != found->places.rend(); ++place) {
            if (auto may = content_.context().go_on(); !may) return may.error();
            auto record = history.read(node_, *place);
            if (!record) return record.error();
            std::optional<sdk::Json> value;
            if (const sdk::Json* said = *record ? find_value(**record, path_) : nullptr)
                value = *said;
            if (says_same(value, former)) continue;
            former = value;
            changed.push_back({*place, std::move(value)});
        }
        std::reverse(changed.begin(), changed.end());
        return changed;
    }

    sdk::Result<sdk::Json> row_of(const MemberVersion& version) {
        auto written = changesets_.read(version.place.line, version.place.revision);
        if (!written) return written.error();
        sdk::Json merges = sdk::Json::array();
        while (written->note.merged != 0 && merges.size() < kMaxMerges) {
            auto origin = written_on_source(*written, version.value);
            if (!origin) return origin.error();
            if (!*origin) break;
            merges.push_back(written->id());
            written = std::move(**origin);
        }
        auto record = changesets_.record(*written);
        if (!record) return record.error();
        const sdk::Json& system = record->at(member::kSystem);
        sdk::Json row = {{"_changesetId", written->id()},
                         {kBranchId, sdk::text_member(*record, "branch")},
                         {"by", sdk::text_member(system, "created_by")},
                         {"on", system.value("created_on", sdk::Json())},
                         {"merges", std::move(merges)}};
        if (version.value) row["value"] = *version.value;
        return row;
    }

    /// The changeset of the merged branch that wrote the value; nothing where the merge itself has
    /// made it, or whoever asks may not know of that branch.
    sdk::Result<std::optional<Changeset>> written_on_source(const Changeset& merge,
                                                            const std::optional<sdk::Json>& value) {
        const std::optional<Changeset> unknown;
        auto parents = changesets_.parents(merge);
        if (!parents) return parents.error();
        const auto merged = std::find_if(
            parents->begin(), parents->end(),
            [&merge](const Changeset& parent) { return parent.revision == merge.note.merged; });
        if (merged == parents->end() || !changesets_.shows(merged->line, merged->revision))
            return unknown;
        const sdk::Reader& store = content_.context().transaction();
        auto view = find_view(store, changesets_.space(), merged->line, merged->revision);
        if (!view) return view.error();
        const History history(store, changesets_.space(), std::move(*view));
        auto versions = changed_versions(history);
        if (!versions) return versions.error();
        if (versions->empty() || !says_same(versions->front().value, value)) return unknown;
        const VersionPlace& place = versions->front().place;
        if (!changesets_.shows(place.line, place.revision)) return unknown;
        auto origin = changesets_.read(place.line, place.revision);
        if (!origin) return origin.error();
        return std::optional<Changeset>(*std::move(origin));
    }

    const BranchContent& content_;
    const Changesets& changesets_;
    const std::string node_;
    const std::string path_;
    bool is_truncated_ = false;
};

sdk::Result<sdk::Reply> read_member_history(Services& services, const sdk::Call& call) {
    auto path = call.required_parameter(kMemberPath);
    if (!path) return path.error();
    std::string pointer = path->starts_with('/') ? *path : '/' + *path;
    if (pointer.starts_with("/_system"))
        return sdk::invalid_parameter(kMemberPath, "must name what clients write of a node");
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto changesets = changesets_around(*content);
    if (!changesets) return changesets.error();
    MemberHistory history(*content, *changesets, call.record().id, std::move(pointer));
    auto rows = history.rows();
    if (!rows) return rows.error();
    auto reply = services.rows.page(*rows, sdk::Json::object(), call.page());
    if (!reply || !history.is_truncated()) return reply;
    return truncated(std::move(*reply), "versions");
}

sdk::Shape member_row_shape() {
    using sdk::shape::any;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"_changesetId", text()},
                               {kBranchId, text()},
                               {"by", text()},
                               {"on", any()},
                               {"merges", sdk::shape::array(text())},
                               optional("value", any())});
}

}  // namespace

sdk::Actions node_member_history_actions() {
    return {{.name = "history",
             .method = "GET",
             .run = operation<&read_member_history>(),
             .parameters = {{kMemberPath, true}},
             .paged = true,
             .slow = true,
             .answers = cut_page(member_row_shape())}};
}

}  // namespace stele::nodes
