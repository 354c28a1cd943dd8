#pragma once

#include <cstdint>
#include <vector>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/row_query.hpp>
#include <stele/sdk/services/teams.hpp>

#include "guard/password_rules.hpp"
#include "invitation_desk.hpp"

namespace stele::identity {

/// Users and groups of a domain. The password lies with the user's identity; memberships and grants
/// are the kernel's; what a token needs to know of a principal is copied into the shared key space
/// with every write.
class PrincipalFamily final : public sdk::Resource {
public:
    /// All must outlive this object.
    PrincipalFamily(sdk::Registrar& registrar, sdk::Teams& teams, sdk::RowQuery& rows,
                    sdk::Platforms& platforms, PasswordRules passwords)
        : registrar_(registrar),
          teams_(teams),
          rows_(rows),
          platforms_(platforms),
          passwords_(passwords),
          desk_(registrar) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    /// Adds `_groups` where `?groups=direct` or `indirect` asks for it.
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    /// GET {I}/members?filter=&indirect=
    sdk::Result<sdk::Reply> members(const sdk::Call& call);
    /// POST {I}/members/add?id=, {I}/members/remove?id=
    sdk::Result<sdk::Reply> add_member(const sdk::Call& call);
    sdk::Result<sdk::Reply> remove_member(const sdk::Call& call);
    /// GET {I}/memberships?indirect=
    sdk::Result<sdk::Reply> memberships(const sdk::Call& call);
    /// GET {I}/teams?teamableType=&teamableId=
    sdk::Result<sdk::Reply> teams(const sdk::Call& call);
    /// GET {I}/identity
    sdk::Result<sdk::Reply> identity(const sdk::Call& call);
    /// POST {I}/sessions/expire: ends all tokens of a user.
    sdk::Result<sdk::Reply> expire_sessions(const sdk::Call& call);
    /// POST {C}/membership/check
    sdk::Result<sdk::Reply> check_memberships(const sdk::Call& call);
    /// POST {C}/invite?id= or ?email= : makes a user of this domain of one of another, or of whom a
    /// mail address belongs to.
    sdk::Result<sdk::Reply> invite(const sdk::Call& call);

private:
    std::uint64_t root_platform() const;
    sdk::Result<void> require_changeable(const sdk::Call& call);
    sdk::Result<std::vector<sdk::RecordKey>> without_teams(sdk::Context& context,
                                                           std::vector<sdk::RecordKey> groups);
    sdk::Result<void> prepare_create(sdk::Change& change, sdk::Context& context);
    static sdk::Result<void> check_guest_kept(const sdk::Change& change, sdk::Context& context);
    sdk::Result<void> prepare_update(sdk::Change& change, sdk::Context& context);

    sdk::Registrar& registrar_;
    sdk::Teams& teams_;
    sdk::RowQuery& rows_;
    sdk::Platforms& platforms_;
    const PasswordRules passwords_;
    InvitationDesk desk_;
};

}  // namespace stele::identity
