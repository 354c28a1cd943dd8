#include "directory.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "domain.hpp"
#include "token/identity_credentials.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

/// The identities of a large directory go when the directory is gone already: too late for them to
/// refuse. So the directory asks for all of them at once.
sdk::Result<bool> has_users(sdk::Context& context, const sdk::Document& directory) {
    sdk::PageRequest first;
    first.limit = 1;
    auto identities = context.documents().query({kIdentityType, directory.id, directory.key},
                                                sdk::Json::object(), first);
    if (!identities) return identities.error();
    if (identities->rows.empty()) return false;
    // Record keys begin with the numbers of the platform and of the collection.
    const sdk::RecordKey& any = identities->rows.front().key;
    sdk::KeyReader reader(any);
    reader.integer();
    reader.integer();
    const std::string collection = any.substr(0, any.size() - reader.rest().size());
    const SessionKeys keys = SessionKeys::of(context);
    const auto cursor = context.transaction().scan(
        {keys.identity_user(collection), keys.identity_user(sdk::prefix_end(collection))},
        sdk::ScanDirection::forward);
    if (auto status = cursor->status(); !status) return status.error();
    return cursor->is_valid();
}

}  // namespace

sdk::ResourceDescriptor Directory::describe() const {
    return {.type = kDirectoryType,
            .path = "directories",
            .placeholder = "directoryId",
            .capabilities = {.data_store = true},
            .title = "directories"};
}

sdk::Result<void> Directory::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    if (auto kept = keep_primary(change, context); !kept) return kept;
    auto is_used = has_users(context, *change.before);
    if (!is_used) return is_used.error();
    if (!*is_used) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "identity.in_use",
                           "identities of the directory belong to users; remove these first");
}

sdk::ResourceDescriptor Connection::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},          {.name = "description", .kind = text},
        {.name = "identity-id", .kind = text},    {.name = "providerId", .kind = text},
        {.name = "providerUserId", .kind = text},
    };
    return {.type = "connection",
            .container = kDirectoryType,
            .path = "connections",
            .placeholder = "connectionId",
            .container_member = "directoryId",
            .fields = fields,
            .title = "connections"};
}

}  // namespace stele::identity
