#include "session_epochs.hpp"

#include <utility>

#include "identity_credentials.hpp"
#include "row_access.hpp"

namespace stele::identity {

namespace {

/// The user's row, if the user is enabled and its sessions are at the epoch.
sdk::Result<std::optional<PrincipalRow>> row_at_epoch(const sdk::Reader& reader,
                                                      const SessionKeys& keys,
                                                      const sdk::RecordKey& user,
                                                      SessionEpoch epoch) {
    auto row = read_row<PrincipalRow>(reader, keys.principal(user));
    if (!row) return row;
    const bool counts = *row && (*row)->principal.enabled && (*row)->epoch == epoch;
    return counts ? std::move(row) : std::optional<PrincipalRow>();
}

}  // namespace

sdk::Result<std::optional<SessionBasis>> present_basis(sdk::Context& context,
                                                       const sdk::RecordKey& user,
                                                       std::vector<Actor> actors) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user));
    if (!row) return row.error();
    if (!*row || !(*row)->principal.enabled) return std::optional<SessionBasis>();
    return std::optional<SessionBasis>({(*row)->epoch, std::move(actors)});
}

sdk::Result<std::optional<PrincipalRow>> present_user(const sdk::Reader& reader,
                                                      const SessionKeys& keys,
                                                      const sdk::RecordKey& user,
                                                      const SessionBasis& basis) {
    for (const Actor& actor : basis.actors) {
        auto row = row_at_epoch(reader, keys, actor.principal, actor.epoch);
        if (!row || !*row) return row;
    }
    return row_at_epoch(reader, keys, user, basis.epoch);
}

sdk::Result<void> end_sessions(sdk::Context& context, const sdk::RecordKey& user) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user));
    if (!row) return row.error();
    if (!*row) return {};
    ++(*row)->epoch;
    context.transaction().put(keys.principal(user), (*row)->encode());
    return {};
}

sdk::Result<void> end_sessions_of_identity(sdk::Context& context, const sdk::RecordKey& identity) {
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    for (const IdentityUser& user : *users) {
        if (auto ended = end_sessions(context, user.principal); !ended) return ended;
    }
    return {};
}

}  // namespace stele::identity
