#pragma once

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/row_query.hpp>

#include "guard/password_rules.hpp"

namespace stele::identity {

/// An identity: one person, who may be several users on several platforms, and who has one
/// password. The wire calls it `identity`; that word is the namespace's here.
class Person final : public sdk::Resource {
public:
    /// Both must outlive this object.
    Person(sdk::Platforms& platforms, sdk::RowQuery& rows, PasswordRules passwords)
        : platforms_(platforms), rows_(rows), passwords_(passwords) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;

    /// POST {I}/changepassword : body `password`, `verifyPassword`, optionally
    /// `validateCurrentPassword` with `currentPassword`.
    sdk::Result<sdk::Reply> change_password(const sdk::Call& call);
    /// GET {I}/policy/users?tenantId= and {I}/users : the users that are this person.
    sdk::Result<sdk::Reply> users(const sdk::Call& call);
    /// GET {I}/policy/user?tenantId= : the first of them on one platform.
    sdk::Result<sdk::Reply> user_on_platform(const sdk::Call& call);
    /// GET {I}/policy/tenants?registrarId=&authorityId= : the tenants on whose platforms the person
    /// has a user, as far as the caller may see them; the one of the first platform only when a
    /// registrar is named.
    sdk::Result<sdk::Reply> tenants(const sdk::Call& call);

private:
    sdk::Platforms& platforms_;
    sdk::RowQuery& rows_;
    const PasswordRules passwords_;
};

}  // namespace stele::identity
