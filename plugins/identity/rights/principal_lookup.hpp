#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/documents.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::identity {

inline constexpr char kDomainType[] = "domain";
inline constexpr char kPrincipalType[] = "principal";
inline constexpr char kGuest[] = "guest";
/// Alias of the domain in which unqualified names are looked for.
inline constexpr char kPrimary[] = "primary";

/// The id that it has on every platform.
inline constexpr char kPrimaryId[] = "default";

/// What the server needs to know of a principal's record.
sdk::Principal principal_of(const sdk::Document& record);

sdk::Error unknown_principal(std::string_view form);

/// The record of a principal named in any of the four forms (docs/specification/platform.md 4.1).
sdk::Result<sdk::Document> find_principal_record(sdk::Context& context, std::string_view form,
                                                 std::string_view home_domain = {});

/// Whether this is the user of the primary domain as which anybody may log in.
sdk::Result<bool> is_guest(sdk::Context& context, const sdk::Principal& principal);

/// Knows principals for the kernel and other plugins.
class PrincipalLookup final : public sdk::PrincipalDirectory {
public:
    /// Looks principals up, and nothing else.
    PrincipalLookup() = default;
    /// `guest_is_everyone`: as the setting says. `session_space`: that of `kSessionSpace`.
    PrincipalLookup(bool guest_is_everyone, std::string session_space)
        : guest_is_everyone_(guest_is_everyone), session_space_(std::move(session_space)) {}

    sdk::Result<sdk::Principal> find(sdk::Context& context, std::string_view form,
                                     std::string_view home_domain) override;
    std::string_view home_type() const override { return kDomainType; }
    sdk::Result<sdk::Principal> describe(sdk::Context& context, const sdk::RecordKey& key) override;
    sdk::Result<bool> is_of_everyone(const sdk::Reader& reader,
                                     const sdk::RecordKey& principal) override;
    sdk::Result<bool> may_act(const sdk::Reader& reader, const sdk::RecordKey& principal) override;
    sdk::Result<bool> is_guest(sdk::Context& context, const sdk::Principal& principal) override;
    sdk::Result<bool> can_log_in(sdk::Context& context, const sdk::Principal& user) override;

private:
    bool guest_is_everyone_ = true;
    std::string session_space_;
};

}  // namespace stele::identity
