#include "families/repository.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/branch_content.hpp"
#include "content/definitions.hpp"
#include "content/vocabulary.hpp"
#include "families/sweep.hpp"
#include "operations/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Json container_features() {
    return {{feature::kContainer, sdk::Json::object()}};
}

/// What a fresh master branch contains (contract/nodes.md 4.3), in its first changeset.
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

sdk::Result<void> make_master(Services& services, const sdk::Document& repository,
                              sdk::Context& context) {
    const sdk::CollectionName branches{kBranchType, repository.id, repository.key};
    auto master = context.documents().create(
        branches, {{"title", "Master"}, {"type", "MASTER"}, {"root", "0:root"}});
    if (!master) return master.error();
    auto named = context.documents().set_alias(branches, kMasterAlias, master->id);
    if (!named) return named;
    auto opened =
        services.branches.open_repository(context.transaction(), repository.key, master->key);
    if (!opened) return opened.error();
    auto content = BranchContent::open(services, context.as_system(), master->key);
    if (!content) return content.error();
    return fill_master(*content);
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
            .title = "repositories"};
}

sdk::Result<void> Repository::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    return sweep_later(services(), context, change.before->key);
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
