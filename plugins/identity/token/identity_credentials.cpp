#include "identity_credentials.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "row_access.hpp"
#include "session_epochs.hpp"
#include "session_keys.hpp"
#include "session_rows.hpp"

namespace stele::identity {

bool fits_identity(const sdk::Document* identity, std::string_view password) {
    static const std::string kNobodysHash = sdk::hash_password(sdk::random_token(16));
    const std::string hash = identity ? sdk::text_member(identity->secrets, kPasswordHash) : "";
    if (hash.empty()) {
        // The answer is known, only the time it takes counts.
        static_cast<void>(sdk::fits_password(password, kNobodysHash));
        return false;
    }
    return sdk::fits_password(password, hash);
}

sdk::Result<std::optional<sdk::Document>> identity_of_user(sdk::Context& context,
                                                           const sdk::RecordKey& user) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user));
    if (!row) return row.error();
    if (!*row || (*row)->identity.empty()) return std::optional<sdk::Document>();
    auto identity = context.documents().read((*row)->identity);
    if (!identity && is_missing(identity.error())) return std::optional<sdk::Document>();
    if (!identity) return identity.error();
    return std::optional<sdk::Document>(*std::move(identity));
}

sdk::Result<bool> has_password(sdk::Context& context, const sdk::RecordKey& user) {
    auto identity = identity_of_user(context, user);
    if (!identity) return identity.error();
    return *identity && !sdk::text_member((*identity)->secrets, kPasswordHash).empty();
}

sdk::Result<void> set_password(sdk::Context& context, std::string_view directory_id,
                               std::string_view identity_id, std::string_view password) {
    auto patched =
        context.documents().patch({kIdentityType, std::string(directory_id)}, identity_id,
                                  {{kPasswordHash, sdk::hash_password(password)}});
    if (!patched) return patched.error();
    return end_sessions_of_identity(context, patched->key);
}

sdk::Result<sdk::RecordKey> find_identity(sdk::Context& context, std::uint64_t root_platform,
                                          std::string_view directory_id,
                                          std::string_view identity_id) {
    const SessionKeys keys = SessionKeys::of(context);
    for (const std::uint64_t platform : {context.platform().number, root_platform}) {
        auto key =
            context.transaction().get(keys.identity_place(platform, directory_id, identity_id));
        if (!key) return key.error();
        if (*key) return std::move(**key);
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "identity.unknown",
                           "there is no identity " + std::string(identity_id) + " in directory " +
                               std::string(directory_id));
}

sdk::Result<std::vector<IdentityUser>> users_of_identity(sdk::Context& context,
                                                         const sdk::RecordKey& identity) {
    const SessionKeys keys = SessionKeys::of(context);
    const std::string begin = keys.identity_user(identity);
    const auto cursor =
        context.transaction().scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
    std::vector<IdentityUser> users;
    for (; cursor->is_valid(); cursor->next()) {
        auto user = keys.user_of(cursor->key());
        if (user) users.push_back({*std::move(user), std::string(cursor->value())});
    }
    if (auto status = cursor->status(); !status) return status.error();
    return users;
}

}  // namespace stele::identity
