#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/graph.hpp"
#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "history/changesets.hpp"
#include "operation/branch/branch_indexes.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Error unknown_changeset(std::string_view name) {
    return sdk::invalid_parameter(name, "names no changeset of the branch");
}

/// Where a new branch begins.
struct Origin {
    BranchPlace place;
    AncestryPoint point;
    std::string branch_id;
    std::string changeset;
};

sdk::Result<Origin> origin_of(Services& services, sdk::Context& context,
                              const sdk::CollectionName& branches, const std::string& parent_id,
                              const std::string& changeset) {
    auto parent = sdk::if_readable(context, context.documents().read(branches, parent_id));
    if (!parent) return parent.error();
    if (!*parent) return sdk::invalid_parameter("branch", "names no branch of the repository");
    if (sdk::flag_member((*parent)->fields, "frozen", false)) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "nodes.branch_frozen",
                               "the branch is frozen, so it cannot be forked");
    }
    if (sdk::flag_member((*parent)->fields, kArchived, false)) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "nodes.branch_archived",
                               "the branch is archived, so it cannot be forked");
    }
    const sdk::Reader& reader = context.transaction();
    auto place = services.branches.find(reader, (*parent)->key);
    if (!place) return place.error();
    Origin origin{*place, {}, (*parent)->id, {}};
    if (changeset.empty()) {
        auto tip = services.branches.tip(reader, *place);
        if (!tip) return tip.error();
        origin.point.revision = *tip;
    } else {
        const auto revision = revision_of(changeset);
        if (!revision) return unknown_changeset("changeset");
        origin.point.revision = *revision;
    }
    auto view = services.branches.view(reader, *place, origin.point.revision);
    if (!view) return sdk::is_missing(view.error()) ? unknown_changeset("changeset") : view.error();
    origin.point.line = view->links.front().line;
    auto note = services.branches.note(reader, *place, origin.point.revision);
    if (!note) return note.error();
    origin.changeset = changeset_id(origin.point.revision, note->random_part);
    if (!changeset.empty() && changeset != origin.changeset) return unknown_changeset("changeset");
    return origin;
}

sdk::Json branch_fields(const sdk::Call& call) {
    sdk::Json fields = call.body().is_object() ? call.body() : sdk::Json::object();
    for (const char* name : {"branch", "changeset", "tip", "join-branch"})
        fields.erase(name);
    // One that comes from another server keeps its id; other words would be in the way of aliases.
    if (id_bytes(sdk::text_member(fields, "_doc")).empty()) fields.erase("_doc");
    for (const char* name : {"title", "description"}) {
        const auto value = call.parameter(name);
        if (value && !fields.contains(name)) fields[name] = *value;
    }
    return fields;
}

sdk::Result<sdk::Document> make_branch(Services& services, sdk::Context& context,
                                       const sdk::CollectionName& branches, const Origin& origin,
                                       sdk::Json fields) {
    fields["type"] = "CUSTOM";
    fields["root"] = origin.changeset;
    fields["root-branch"] = origin.branch_id;
    auto branch = context.documents().create(branches, std::move(fields));
    if (!branch) return branch;
    const auto parent = services.registrar.engine().snapshot();
    auto is_present =
        services.branches.has_space(*parent, {origin.place.platform, origin.place.repository});
    if (!is_present) return is_present.error();
    // A repository that the transaction has made shows to nobody else.
    const sdk::Reader& reader = *is_present ? *parent : context.transaction();
    auto forked = services.branches.fork(context.transaction(), reader, branch->key, origin.place,
                                         origin.point);
    if (!forked) return forked.error();
    // Building writes, and a snapshot takes no writes: an index that is not whole stays unused.
    if (!sdk::flag_member(branch->fields, "snapshot", false)) {
        auto content = BranchContent::open(services, context, branch->key);
        if (!content) return content.error();
        if (auto resumed = resume_index_builds(*content); !resumed) return resumed.error();
    }
    branch->fields["tip"] = origin.changeset;
    return branch;
}

sdk::Result<sdk::Document> fork(Services& services, const sdk::Call& call, sdk::Json fields) {
    auto origin = origin_of(services, call.context(), call.collection(),
                            call.parameter("branch").value_or(kMasterAlias),
                            call.parameter("changeset").value_or(std::string()));
    if (!origin) return origin.error();
    return make_branch(services, call.context(), call.collection(), *origin, std::move(fields));
}

sdk::Result<sdk::Reply> create_branch(Services& services, const sdk::Call& call) {
    sdk::Json fields = branch_fields(call);
    fields.erase("snapshot");
    auto branch = fork(services, call, std::move(fields));
    if (!branch) return branch.error();
    return sdk::Reply::status(branch->fields);
}

/// The branch that a snapshot is taken of: the one that was given, else one that shows the
/// changeset.
sdk::Result<std::string> photographed(Services& services, const sdk::Call& call) {
    if (const auto branch = call.parameter("branch")) return *branch;
    const auto changeset = call.parameter("changeset");
    if (!changeset || changeset->empty()) return std::string(kMasterAlias);
    auto changesets = Changesets::open(services, call.context(), call.record());
    if (!changesets) return changesets.error();
    auto found = changesets->find(*changeset);
    if (!found && sdk::is_missing(found.error())) return unknown_changeset("changeset");
    if (!found) return found.error();
    const auto branch = changesets->branch_showing(found->line);
    if (!branch) return unknown_changeset("changeset");
    auto document = call.context().documents().read(*branch);
    if (!document) return document.error();
    return document->id;
}

sdk::CollectionName branches_of(const sdk::Document& repository) {
    return {kBranchType, repository.id, repository.key};
}

/// A branch that shows a changeset and never changes.
sdk::Result<sdk::Reply> create_snapshot(Services& services, const sdk::Call& call) {
    auto parent = photographed(services, call);
    if (!parent) return parent.error();
    const sdk::CollectionName branches = branches_of(call.record());
    auto origin = origin_of(services, call.context(), branches, *parent,
                            call.parameter("changeset").value_or(std::string()));
    if (!origin) return origin.error();
    sdk::Json fields = branch_fields(call);
    fields["snapshot"] = true;
    auto branch = make_branch(services, call.context(), branches, *origin, std::move(fields));
    if (!branch) return branch.error();
    return sdk::Reply::status(branch->fields);
}

sdk::Result<sdk::Reply> read_snapshot(Services& services, const sdk::Call& call) {
    const std::string id(call.path("snapshotId"));
    auto snapshot = sdk::if_readable(
        call.context(), call.context().documents().read(branches_of(call.record()), id));
    if (!snapshot) return snapshot.error();
    if (!*snapshot || !sdk::flag_member((*snapshot)->fields, "snapshot", false))
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               "there is no snapshot " + id);
    auto tip = tip_of(services, call.context().transaction(), (*snapshot)->key);
    if (!tip) return tip.error();
    if (!tip->empty()) (*snapshot)->fields["tip"] = *tip;
    return sdk::Reply::json((*snapshot)->fields);
}

/// What may be pulled into the branch: every other branch of the repository but archived ones.
sdk::Result<sdk::Reply> list_pull_sources(Services& services, const sdk::Call& call) {
    return services.lists.page(
        call, call.collection(),
        {{"_doc", {{"$ne", call.record().id}}}, {kArchived, {{"$ne", true}}}});
}

/// Clients expect a job (docs/specification/nodes.md 4.1); making a branch takes no longer than
/// starting one, so the job only tells what was made.
sdk::Result<sdk::Reply> start_create(Services& services, const sdk::Call& call) {
    sdk::Json fields = branch_fields(call);
    fields.erase("snapshot");
    auto branch = fork(services, call, std::move(fields));
    if (!branch) return branch.error();
    return job_reply(services, call, kBranchCreation, {{"createdBranchId", branch->id}});
}

sdk::Result<sdk::Reply> set_archived(const sdk::Call& call, bool is_archived) {
    auto branch = call.context().documents().patch(call.collection(), call.record().id,
                                                   {{kArchived, is_archived}});
    if (!branch) return branch.error();
    return sdk::Reply::status(branch->fields);
}

sdk::Result<sdk::Reply> archive(Services&, const sdk::Call& call) {
    return set_archived(call, true);
}

sdk::Result<sdk::Reply> unarchive(Services&, const sdk::Call& call) {
    return set_archived(call, false);
}

sdk::Result<sdk::Reply> info(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    sdk::Json told = {{"depth", content->view().view().links.size()}};
    auto reads_all = content->reads_all();
    if (!reads_all) return reads_all.error();
    if (!*reads_all) return sdk::Reply::json(told);
    sdk::PageRequest count_only;
    count_only.limit = 0;
    auto nodes = call.context().documents().query(content->nodes(),
                                                  {{member::kIsAssociation, false}}, count_only);
    if (!nodes) return nodes.error();
    auto associations = call.context().documents().query(
        content->nodes(), {{member::kIsAssociation, true}}, count_only);
    if (!associations) return associations.error();
    told["nodes"] = nodes->total_rows;
    told["associations"] = associations->total_rows;
    return sdk::Reply::json(told);
}

sdk::Result<sdk::Reply> start_reset(Services& services, const sdk::Call& call) {
    auto changeset = call.required_parameter("id");
    if (!changeset) return changeset.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = require_reset(*content); !may) return may.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    auto shown = services.branches.shown_changeset(call.context().transaction(), content->place(),
                                                   *changeset);
    if (!shown) return sdk::is_missing(shown.error()) ? unknown_changeset("id") : shown.error();
    return job_reply(services, call, kBranchReset,
                     {{"repositoryId", sdk::text_member(call.record().fields, kRepositoryId)},
                      {"branchId", call.record().id},
                      {"changeset", *changeset}});
}

/// How large the branch is, as far as the caller may know.
sdk::Shape branch_info() {
    using sdk::shape::integer;
    using sdk::shape::optional;
    return sdk::shape::object(
        {{"depth", integer()}, optional("nodes", integer()), optional("associations", integer())});
}

/// What a new branch may be told; where it comes from the server says.
sdk::Shape branch_body() {
    using sdk::shape::boolean;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({optional("title", text()), optional("description", text()),
                               optional("readonly", boolean()), optional("frozen", boolean()),
                               optional("blockDirectCommits", boolean()),
                               optional(kAutoPull, boolean()), optional(kConflictRule, text()),
                               optional("alias", text())});
}

/// Where a branch begins, and members of it that may stand in the query.
std::vector<sdk::Parameter> fork_parameters() {
    return {{"branch"}, {"changeset"}, {"title"}, {"description"}};
}

}  // namespace

sdk::Actions branch_record_actions() {
    using enum sdk::ActionScope;
    using sdk::Permission;
    const sdk::Shape written = sdk::shape::written(kBranchType);
    const sdk::Shape page = sdk::shape::page(sdk::shape::record(kBranchType));
    return {{.name = "",
             .scope = collection,
             .permission = Permission::create_subobjects,
             .run = operation<&create_branch>(),
             .parameters = with_projection(fork_parameters()),
             .body = sdk::BodyUse::record,
             .takes = branch_body(),
             .answers = written},
            {.name = "create/start",
             .scope = collection,
             .permission = Permission::create_subobjects,
             .run = operation<&start_create>(),
             .parameters = fork_parameters(),
             .body = sdk::BodyUse::record,
             .takes = branch_body(),
             .answers =
                 sdk::shape::both(sdk::shape::job(), sdk::shape::object({sdk::shape::optional(
                                                         "createdBranchId", sdk::shape::text())}))},
            {.name = "archive",
             .permission = Permission::update,
             .run = operation<&archive>(),
             .answers = written},
            {.name = "unarchive",
             .permission = Permission::update,
             .run = operation<&unarchive>(),
             .answers = written},
            {.name = "info",
             .method = "GET",
             .run = operation<&info>(),
             .slow = true,
             .answers = branch_info()},
            {.name = "pull/sources",
             .method = "GET",
             .run = operation<&list_pull_sources>(),
             .paged = true,
             .answers = page},
            {.name = "reset/start",
             .permission = Permission::update,
             .run = operation<&start_reset>(),
             .parameters = {{"id", true}},
             .slow = true,
             .answers = sdk::shape::job()}};
}

sdk::Actions repository_snapshot_actions() {
    return {{.name = "snapshots",
             .permission = sdk::Permission::create_subobjects,
             .run = operation<&create_snapshot>(),
             .parameters = with_projection(fork_parameters()),
             .takes = branch_body(),
             .answers = sdk::shape::written(kBranchType)},
            {.name = "snapshots/{snapshotId}",
             .method = "GET",
             .run = operation<&read_snapshot>(),
             .answers = sdk::shape::record(kBranchType)}};
}

}  // namespace stele::nodes
