#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/client_members.hpp"
#include "branch/vocabulary.hpp"
#include "family/repository.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kAlias[] = "alias";
constexpr std::size_t kMaxAliasLength = 128;

bool is_branch_alias(std::string_view alias) {
    return alias.size() <= kMaxAliasLength && id_bytes(alias).empty() &&
           std::none_of(alias.begin(), alias.end(), [](char byte) {
               const auto code = static_cast<unsigned char>(byte);
               return code <= ' ' || code == 0x7f ||
                      std::string_view("/?#&%").find(byte) != std::string_view::npos;
           });
}

}  // namespace

sdk::ResourceDescriptor Branch::describe() const {
    using enum sdk::FieldKind;
    return {.type = kBranchType,
            .container = kRepositoryType,
            .path = "branches",
            .placeholder = kBranchId,
            .path_aliases = {"b"},
            .container_member = kRepositoryId,
            // Where a branch comes from is set when it is made.
            .fields =
                {{.name = "type", .kind = text, .immutable = true, .one_of = {"MASTER", "CUSTOM"}},
                 {.name = "platformId", .kind = text, .read_only = true},
                 {.name = "root", .kind = text, .immutable = true},
                 {.name = "root-branch", .kind = text, .immutable = true},
                 {.name = "join-branch", .immutable = true},
                 {.name = "snapshot", .kind = boolean, .immutable = true},
                 {.name = "tip", .kind = text, .read_only = true, .unindexed = true},
                 {.name = "readonly", .kind = boolean},
                 {.name = "frozen", .kind = boolean},
                 {.name = kArchived, .kind = boolean},
                 {.name = "blockDirectCommits", .kind = boolean},
                 {.name = kAutoPull, .kind = boolean},
                 {.name = kConflictRule,
                  .kind = text,
                  .one_of = {"manual", "source", "target", "newest"}},
                 {.name = "alias", .kind = text}},
            .operations = {.create = false},
            .listing = {.parameters = {{kArchived, false, boolean}}},
            .actions = branch_actions(),
            .checks_at_container = true,
            .is_presented = true,
            .title = "branches"};
}

sdk::Result<void> Branch::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) {
        if (sdk::text_member(change.before->fields, "type") == "MASTER") {
            // Its repository is forgotten already when it goes with that.
            auto repository = services().branches.find_repository(context.transaction(),
                                                                  change.collection.container_key);
            if (!repository && !sdk::is_missing(repository.error())) return repository.error();
            if (repository) {
                return sdk::make_error(sdk::ErrorKind::conflict, "nodes.branch_master_required",
                                       "the master branch goes with its repository only");
            }
        }
        services().branches.forget(context.transaction(), change.before->key);
        return {};
    }
    change.after->fields["platformId"] = context.platform().id;
    return {};
}

void Branch::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (!change.after) return;
    const std::string alias = sdk::text_member(change.after->fields, kAlias);
    // The master is found by its own name already.
    const bool is_fine = alias.empty() || alias == kMasterAlias || is_branch_alias(alias);
    if (is_fine) return;
    violations.push_back({kAlias, "nodes.branch_alias_malformed",
                          "alias must be a word of at most 128 bytes that is no id, without any "
                          "of /?#&%"});
}

sdk::Result<void> Branch::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    const std::string before =
        change.before ? sdk::text_member(change.before->fields, kAlias) : std::string();
    const std::string after = sdk::text_member(change.after->fields, kAlias);
    const sdk::CollectionName branches{kBranchType, {}, change.collection.container_key};
    sdk::Documents& documents = context.documents();
    if (!before.empty() && before != after && before != kMasterAlias) {
        auto gone = documents.remove_alias(branches, before, change.after->id);
        if (!gone) return gone;
    }
    if (after.empty()) return {};
    auto holder = documents.read(branches, after);
    if (!holder && !sdk::is_missing(holder.error())) return holder.error();
    if (holder && holder->id == change.after->id) return {};
    if (holder) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.branch_alias_taken",
                               "alias " + after + " stands for another branch");
    }
    return documents.set_alias(branches, after, change.after->id);
}

sdk::Result<void> Branch::complete_query(const sdk::Call& call, sdk::Json& query) {
    const bool is_list = call.method() == "GET";
    auto wanted = is_list ? call.flag(kArchived) : sdk::Result<std::optional<bool>>(std::nullopt);
    if (!wanted) return wanted.error();
    if (wanted->value_or(false)) query[kArchived] = true;
    if (!mentions(query, kArchived)) query[kArchived] = {{"$ne", true}};
    return {};
}

sdk::Result<void> Branch::present(const sdk::Call& call, sdk::Json& record) {
    sdk::Context& context = call.context();
    const sdk::CollectionName collection{kBranchType, {}, call.collection().container_key};
    auto branch = context.documents().read(collection, sdk::text_member(record, "_doc"));
    // A list shows the state of its own beginning; the branch may have gone since.
    if (!branch) return sdk::is_missing(branch.error()) ? sdk::Result<void>() : branch.error();
    auto tip = tip_of(services(), context.transaction(), branch->key);
    // What the transaction itself has written becomes a changeset when it is committed.
    const bool is_to_come =
        !tip && sdk::is_missing(tip.error()) && context.transaction().has_writes();
    if (is_to_come) return {};
    if (!tip) return tip.error();
    if (!tip->empty()) record["tip"] = *tip;
    return {};
}

}  // namespace stele::nodes
