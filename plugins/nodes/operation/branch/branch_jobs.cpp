#include "operation/branch/branch_jobs.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/branch_rights.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "operation/branch/branch_indexes.hpp"

namespace stele::nodes {

namespace {

/// The branch was made with the transaction that started the job.
sdk::Result<sdk::Json> tell_creation(sdk::Job& job) {
    return sdk::Json{{"createdBranchId", sdk::text_member(job.input(), "createdBranchId")}};
}

/// The branch goes on from an earlier changeset. What came after stays known by its changesets.
sdk::Result<void> reset(Services& services, sdk::Context& context, const sdk::Json& input) {
    sdk::Documents& documents = context.documents();
    auto repository = documents.read({kRepositoryType, ""}, sdk::text_member(input, kRepositoryId));
    if (!repository) return repository.error();
    auto branch = documents.read({kBranchType, repository->id, repository->key},
                                 sdk::text_member(input, kBranchId));
    if (!branch) return branch.error();
    auto content = BranchContent::open(services, context, branch->key);
    if (!content) return content.error();
    if (auto may = require_reset(*content); !may) return may;
    if (auto writable = check_branch_writable(*content); !writable) return writable;
    const sdk::Reader& reader = context.transaction();
    auto place = services.branches.find(reader, branch->key);
    if (!place) return place.error();
    auto to =
        services.branches.shown_changeset(reader, *place, sdk::text_member(input, "changeset"));
    if (!to) return to.error();
    const auto parent = services.registrar.engine().snapshot();
    auto forked = services.branches.fork(context.transaction(), *parent, branch->key, *place, *to);
    if (!forked) return forked.error();
    auto after = BranchContent::open(services, context, branch->key);
    if (!after) return after.error();
    return resume_index_builds(*after);
}

sdk::Result<sdk::Json> run_reset(Services& services, sdk::Job& job) {
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto confirmed = job.confirm(context.transaction()); !confirmed) return confirmed;
            Changes::of(context, services.branches).act_for(job.run_as());
            return reset(services, context, job.input());
        });
    if (!done) return done.error();
    return sdk::Json{{"branchId", sdk::text_member(job.input(), kBranchId)}};
}

}  // namespace

sdk::Result<void> require_reset(const BranchContent& content) {
    if (auto may = content.require_on_branch(sdk::Permission::update); !may) return may;
    return require_in_branch(content, sdk::PermissionSet::all());
}

void define_branch_jobs(Services& services) {
    services.jobs.define({.name = kBranchCreation, .run = &tell_creation});
    services.jobs.define({.name = kBranchReset,
                          .run = [&services](sdk::Job& job) { return run_reset(services, job); }});
}

sdk::Result<sdk::Reply> job_reply(Services& services, const sdk::Call& call, const char* type,
                                  sdk::Json input) {
    auto id = services.jobs.start(call.context(), {.type = type, .input = std::move(input)});
    if (!id) return id.error();
    return sdk::reply_of_started(services.jobs, call, *id);
}

sdk::Result<std::string> tip_of(Services& services, const sdk::Reader& reader,
                                const sdk::RecordKey& branch) {
    auto place = services.branches.find(reader, branch);
    if (!place) return place.error();
    auto tip = services.branches.tip(reader, *place);
    if (!tip) return tip.error();
    if (*tip == 0) return std::string();
    auto note = services.branches.note(reader, *place, *tip);
    if (!note) return note.error();
    return changeset_id(*tip, note->random_part);
}

sdk::Result<sdk::Document> source_branch(const sdk::Call& call) {
    auto id = call.required_parameter("id");
    if (!id) return id.error();
    sdk::Context& context = call.context();
    auto source = sdk::if_readable(context, context.documents().read(call.collection(), *id));
    if (!source) return source.error();
    if (!*source) return sdk::invalid_parameter("id", "names no branch of the repository");
    return std::move(**source);
}

}  // namespace stele::nodes
