#include "family/repository.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/changes.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "family/sweep.hpp"
#include "history/branch_history.hpp"
#include "history/changesets.hpp"
#include "history/history.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Json container_features() {
    return {{feature::kContainer, sdk::Json::object()}};
}

/// What a fresh master branch contains (docs/specification/nodes.md 4.3), in its first changeset.
sdk::Result<void> fill_master(const BranchContent& content) {
    auto root = content.create({{"title", "Root"},
                                {member::kType, type::kRoot},
                                {member::kQName, kRootQName},
                                {member::kFeatures, container_features()}});
    if (!root) return root.error();
    sdk::Documents& documents = content.context().documents();
    if (auto named = documents.set_alias(content.nodes(), kRootAlias, root->id); !named)
        return named;
    auto users = content.create({{"title", "Users"},
                                 {member::kQName, kUsersQName},
                                 {member::kFeatures, container_features()}});
    if (!users) return users.error();
    for (const sdk::Json& definition : built_in_definitions()) {
        auto made = content.create(definition);
        if (!made) return made.error();
    }
    return {};
}

bool is_social(const sdk::Document& repository) {
    return sdk::flag_member(repository.fields, "enableSocialAssembly", false);
}

/// Where much may come into the repository, its number is nobody else's from the beginning.
sdk::Result<std::uint64_t> new_number(Services& services, sdk::Context& context) {
    const std::uint64_t platform = context.platform().number;
    if (!Changes::of(context, services.branches).expects_content())
        return services.branches.next_repository(context.transaction(), platform);
    std::uint64_t number = 0;
    auto reserved = sdk::write_with_retry(
        services.registrar.engine(), [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            auto next = services.branches.next_repository(transaction, platform);
            if (!next) return next.error();
            number = *next;
            return {};
        });
    if (!reserved) return reserved.error();
    return number;
}

sdk::Result<void> make_master(Services& services, const sdk::Document& repository,
                              sdk::Context& context) {
    const sdk::CollectionName branches{kBranchType, repository.id, repository.key};
    auto master = context.documents().create(
        branches, {{"title", "Master"}, {"type", "MASTER"}, {"root", "0:root"}});
    if (!master) return master.error();
    auto named = context.documents().set_alias(branches, kMasterAlias, master->id);
    if (!named) return named;
    auto number = new_number(services, context);
    if (!number) return number.error();
    auto opened = services.branches.open_repository(context.transaction(), *number, repository.key,
                                                    master->key);
    if (!opened) return opened.error();
    Changes& changes = Changes::of(context, services.branches);
    if (changes.expects_content()) changes.note_own(*opened);
    auto content = BranchContent::open(services, context.as_system(), master->key);
    if (!content) return content.error();
    if (auto filled = fill_master(*content); !filled) return filled;
    return changes.end_first(context, master->key);
}

/// `changeset://platform/repository/id` (docs/specification/nodes.md 1.6).
constexpr char kChangesetWord[] = "changeset";

/// A node as it was after a changeset, on a branch that shows it; nothing where whoever acts may
/// read none, or it is gone now and not in the trash.
sdk::Result<std::optional<sdk::Json>> node_after(Services& services, sdk::Context& context,
                                                 const Changesets& changesets,
                                                 const Changeset& changeset,
                                                 const std::string& node) {
    const auto branch = changesets.branch_showing(changeset.line);
    if (!branch) return std::optional<sdk::Json>();
    auto content = BranchContent::open(services, context, *branch);
    if (!content) return content.error();
    auto may_read = may_read_node(*content, context.session(), node);
    if (!may_read) return may_read.error();
    if (!*may_read) return std::optional<sdk::Json>();
    const sdk::Reader& store = context.transaction();
    auto view = services.branches.view(store, content->place(), changeset.revision);
    if (!view) return view.error();
    const VersionSpace space = services.branches.space(content->place());
    const ViewReader after(store, space, *view);
    std::string stored;
    auto version = after.find_version(node_record_key(node), stored);
    if (!version) return version.error();
    if (!*version) return std::optional<sdk::Json>();
    return History(store, space, *std::move(view))
        .read(node, {(*version)->line, (*version)->revision});
}

}  // namespace

sdk::ResourceDescriptor Repository::describe() const {
    using enum sdk::FieldKind;
    return {.type = kRepositoryType,
            .path = "repositories",
            .placeholder = kRepositoryId,
            .fields = {{.name = "enableSocialAssembly", .kind = boolean}},
            .capabilities = {.data_store = true, .reaching_grants = true},
            .actions = repository_actions(),
            .inner_words = {kChangesetWord, "node", "association"},
            .title = "repositories"};
}

sdk::Result<void> Repository::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    return sweep_later(services(), context, change.before->key);
}

sdk::Result<std::vector<sdk::Companion>> Repository::companions(sdk::Context& context,
                                                                const sdk::Document& repository) {
    auto master = context.documents().read({kBranchType, {}, repository.key}, kMasterAlias);
    if (!master) return master.error();
    return std::vector<sdk::Companion>{{kMasterAlias, master->key}};
}

sdk::Result<sdk::Json> Repository::read_inner(sdk::Context& context,
                                              const sdk::Document& repository,
                                              std::string_view word, std::string_view ids) {
    auto changesets = Changesets::open(services(), context, repository);
    if (!changesets) return changesets.error();
    const std::string_view id = ids.substr(0, ids.find('/'));
    const std::string_view node = ids.substr(std::min(ids.size(), id.size() + 1));
    const bool is_changeset = sdk::equals_ignoring_case(word, kChangesetWord);
    if (is_changeset != node.empty()) return Resource::read_inner(context, repository, word, ids);
    auto changeset = changesets->find(id);
    if (!changeset) return changeset.error();
    if (is_changeset) return changesets->record(*changeset);
    auto found = node_after(services(), context, *changesets, *changeset, std::string(node));
    if (!found) return found.error();
    if (!*found) return Resource::read_inner(context, repository, word, ids);
    return **std::move(found);
}

sdk::Result<void> Repository::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    const sdk::Document& repository = *change.after;
    if (!change.before) {
        if (auto made = make_master(services(), repository, context); !made) return made;
    }
    const bool was_social = change.before && is_social(*change.before);
    if (is_social(repository) == was_social) return {};
    const BranchStore& branches = services().branches;
    auto place = branches.find_repository(context.transaction(), repository.key);
    if (!place) return place.error();
    return branches.set_social(context.transaction(), *place, is_social(repository));
}

}  // namespace stele::nodes
