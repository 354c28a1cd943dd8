#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Knows principals by the forms in which callers name them. Published by the identity plugin.
class PrincipalDirectory {
public:
    virtual ~PrincipalDirectory();

    /// Accepts `domain/id`, `domain/name`, `id`, `name` (docs/specification/platform.md 4.1);
    /// unqualified forms resolve in `home_domain`, when given, then in the primary domain.
    /// `not_found`
    /// (`principal.unknown`) otherwise.
    virtual Result<Principal> find(Context& context, std::string_view form,
                                   std::string_view home_domain = {}) = 0;
    /// The type of the records in which principals live; empty: there are none. Who asks at such a
    /// record, or inside of one, need not qualify its principals: it is the `home_domain`.
    virtual std::string_view home_type() const;
    /// The principal of a record key; `not_found` when the record is gone or no principal.
    virtual Result<Principal> describe(Context& context, const RecordKey& key) = 0;
    /// Whether the principal counts as one of `everyone` on its platform, by what the reader shows.
    /// Asked for each decision that is not remembered, so the answer for a record must never
    /// change while the server runs, unless `Authorities::withdraw_decisions` tells.
    virtual Result<bool> is_of_everyone(const Reader& reader, const RecordKey& principal);
    /// Whether what the principal started may go on, by what the reader shows: false for a user who
    /// was disabled. Who is gone has no rights by which it could.
    virtual Result<bool> may_act(const Reader& reader, const RecordKey& principal);
    /// Whether it is the one as which anybody may log in.
    virtual Result<bool> is_guest(Context& context, const Principal& principal);
    /// Whether the user is enabled and has a password.
    virtual Result<bool> can_log_in(Context& context, const Principal& user) = 0;
};

}  // namespace stele::sdk
