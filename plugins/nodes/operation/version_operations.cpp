#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/attachments.hpp"
#include "branch/branch_content.hpp"
#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "relation/stored_relations.hpp"

namespace stele::nodes {

namespace {

/// Versions of one node that a list counts, and those that it reads to sort them.
constexpr std::size_t kMaxVersions = 100'000;
constexpr std::size_t kMaxReadVersions = 10'000;

struct VersionOptions {
    bool excludes_system = false;
    bool has_difference = false;
};

sdk::Result<VersionOptions> version_options(const sdk::Call& call) {
    auto excludes_system = call.flag("excludeSystem");
    if (!excludes_system) return excludes_system.error();
    auto has_difference = call.flag("diff");
    if (!has_difference) return has_difference.error();
    return VersionOptions{excludes_system->value_or(false), has_difference->value_or(false)};
}

bool is_by_system(const sdk::Json& record) {
    const auto system = record.find(member::kSystem);
    return system != record.end() &&
           sdk::text_member(*system, "modified_by_principal_domain_id") == "system";
}

/// The patch that leads from the version before to this one.
sdk::Result<sdk::Json> difference_to_former(const History& history, const std::string& node,
                                            const VersionPlace& version, const sdk::Json& record,
                                            std::size_t& left) {
    auto place = history.before(node, version);
    if (!place) return place.error();
    sdk::Json former = sdk::Json::object();
    if (*place) {
        auto read = history.read(node, **place);
        if (!read) return read.error();
        if (*read) former = std::move(**read);
    }
    return difference(former, record, left);
}

/// A version as a row, or as what `versions/{changesetId}` answers; nothing where it is left out.
/// `left` are bytes that the differences of a page may still have.
sdk::Result<std::optional<sdk::Json>> version_row(const History& history, const std::string& node,
                                                  const VersionPlace& version,
                                                  const VersionOptions& options,
                                                  std::size_t& left) {
    auto record = history.read(node, version);
    if (!record || !*record) return record;
    sdk::Json& row = **record;
    if (options.excludes_system && is_by_system(row)) return std::optional<sdk::Json>();
    const std::string changeset = sdk::text_member(row[member::kSystem], member::kChangeset);
    if (options.has_difference) {
        auto patch = difference_to_former(history, node, version, row, left);
        if (!patch) return patch.error();
        row["diff"] = std::move(*patch);
    }
    row["_changesetId"] = changeset;
    return record;
}

sdk::Result<sdk::Reply> versions_in_order(const sdk::Call& call, const History& history,
                                          const std::vector<VersionPlace>& places,
                                          const VersionOptions& options) {
    const std::uint64_t total = places.size();
    const std::uint64_t begin = std::min<std::uint64_t>(call.page().skip, total);
    const std::uint64_t wanted =
        call.page().limit < 0 ? total : static_cast<std::uint64_t>(call.page().limit);
    sdk::Json rows = sdk::Json::array();
    std::size_t left = sdk::kMaxDifferences;
    for (std::uint64_t i = begin; i < begin + std::min(wanted, total - begin); ++i) {
        if (auto may = call.context().go_on(); !may) return may.error();
        auto row = version_row(history, call.record().id, places[i], options, left);
        if (!row) return row.error();
        if (*row) rows.push_back(std::move(**row));
    }
    return sdk::Reply::page(rows, total, call.page().skip);
}

sdk::Result<sdk::Reply> list_versions(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto options = version_options(call);
    if (!options) return options.error();
    const History history(*content);
    const bool reads_all = options->excludes_system || !call.page().sort.empty();
    auto found = history.versions(call.record().id, reads_all ? kMaxReadVersions : kMaxVersions);
    if (!found) return found.error();
    sdk::Result<sdk::Reply> reply = sdk::Reply();
    if (reads_all) {
        std::vector<sdk::Json> rows;
        std::size_t left = sdk::kMaxDifferences;
        for (const VersionPlace& place : found->places) {
            if (auto may = call.context().go_on(); !may) return may.error();
            auto row = version_row(history, call.record().id, place, *options, left);
            if (!row) return row.error();
            if (*row) rows.push_back(std::move(**row));
        }
        reply = services.rows.page(rows, sdk::Json::object(), call.page());
    } else {
        reply = versions_in_order(call, history, found->places, *options);
    }
    if (!reply || !found->is_truncated) return reply;
    return truncated(std::move(*reply), "versions");
}

struct FoundVersion {
    VersionPlace place;
    sdk::Json record;
};

/// The version that the path names.
sdk::Result<FoundVersion> version_of(const BranchContent& content, const sdk::Call& call) {
    const History history(content);
    auto place = history.find(call.record().id, call.path(kChangesetId));
    if (!place) return place.error();
    auto record = history.read(call.record().id, *place);
    if (!record) return record.error();
    return FoundVersion{*place, std::move(**record)};
}

sdk::Result<sdk::Reply> read_version(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto options = version_options(call);
    if (!options) return options.error();
    const History history(*content);
    auto place = history.find(call.record().id, call.path(kChangesetId));
    if (!place) return place.error();
    // Who asks for one version by name gets it, whoever made it.
    options->excludes_system = false;
    std::size_t left = sdk::kMaxDifference;
    auto row = version_row(history, call.record().id, *place, *options, left);
    if (!row) return row.error();
    // A version never changes.
    sdk::Reply reply = sdk::Reply::json(**row);
    reply.header("ETag", fmt::format("\"{}-{}\"", call.record().id, call.path(kChangesetId)));
    return reply;
}

sdk::Result<sdk::Reply> diff_version(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto version = version_of(*content, call);
    if (!version) return version.error();
    const History history(*content);
    const std::string& node = call.record().id;
    std::size_t left = sdk::kMaxDifference;
    auto patch = difference_to_former(history, node, version->place, version->record, left);
    if (!patch) return patch.error();
    sdk::Json answer = {
        {"_doc", node}, {kChangesetId, call.path(kChangesetId)}, {"diff", std::move(*patch)}};
    auto former = history.before(node, version->place);
    if (!former) return former.error();
    if (*former) {
        auto record = history.read(node, **former);
        if (!record) return record.error();
        answer["previousChangesetId"] =
            sdk::text_member((**record)[member::kSystem], member::kChangeset);
    }
    return sdk::Reply::json(answer);
}

sdk::Result<sdk::Reply> restore_version(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto version = version_of(*content, call);
    if (!version) return version.error();
    const sdk::Json attachments = kept_attachments(version->record);
    content->changes().set_system(
        call.record().id,
        {{member::kAttachments, attachments.empty() ? sdk::Json() : attachments}});
    sdk::Documents& documents = content->context().documents();
    // An update keeps them as they are.
    sdk::Json named = sdk::Json::object();
    for (const char* name : {member::kType, member::kQName}) {
        const std::string old = sdk::text_member(version->record, name);
        if (old != sdk::text_member(call.record().fields, name)) named[name] = old;
    }
    for (const char* name : {"_doc", member::kSystem})
        version->record.erase(name);
    const Raised comes_back(content->changes().relations().come_back);
    auto restored =
        documents.update(content->nodes(), call.record().id, std::move(version->record));
    if (restored && !named.empty())
        restored = documents.patch(content->nodes(), call.record().id, named);
    if (!restored) return restored.error();
    auto related = restore_relations(*content, *restored, version->place);
    if (!related) return related.error();
    return sdk::Reply::status(restored->fields);
}

sdk::Result<sdk::Reply> list_version_attachments(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto version = version_of(*content, call);
    if (!version) return version.error();
    return attachment_page(services, call, kept_attachments(version->record));
}

sdk::Result<sdk::Reply> download_version_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto version = version_of(*content, call);
    if (!version) return version.error();
    return attachment_download(*content, call, version->record);
}

sdk::Shape version_shape() {
    using sdk::shape::optional;
    return sdk::shape::both(node_shape(),
                            sdk::shape::object({optional("_changesetId", sdk::shape::text()),
                                                optional("diff", patch_shape())}));
}

/// Of a version to the one before.
sdk::Shape difference_shape() {
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               {kChangesetId, text()},
                               {"diff", patch_shape()},
                               sdk::shape::optional("previousChangesetId", text())});
}

}  // namespace

sdk::Actions node_version_actions() {
    using enum sdk::FieldKind;
    const std::vector<sdk::Parameter> options{{"excludeSystem", false, boolean},
                                              {"diff", false, boolean}};
    return {{.name = "versions",
             .method = "GET",
             .run = operation<&list_versions>(),
             .parameters = options,
             .paged = true,
             .answers = cut_page(version_shape())},
            {.name = "versions/{changesetId}",
             .method = "GET",
             .run = operation<&read_version>(),
             .parameters = options,
             .slow = true,
             .answers = version_shape()},
            {.name = "versions/{changesetId}/restore",
             .permission = sdk::Permission::update,
             .run = operation<&restore_version>(),
             .answers = written_node()},
            {.name = "versions/{changesetId}/diff",
             .method = "GET",
             .run = operation<&diff_version>(),
             .slow = true,
             .answers = difference_shape()},
            {.name = "versions/{changesetId}/attachments",
             .method = "GET",
             .run = operation<&list_version_attachments>(),
             .paged = true,
             .answers = sdk::shape::page(sdk::shape::record("Attachment"))},
            {.name = "versions/{changesetId}/attachments/{attachmentId}",
             .method = "GET",
             .run = operation<&download_version_attachment>(),
             .parameters = {{"a", false, boolean}, {"filename"}},
             .answers = sdk::shape::bytes()}};
}

}  // namespace stele::nodes
