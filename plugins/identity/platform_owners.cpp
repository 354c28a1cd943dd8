#include "platform_owners.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "principal_lookup.hpp"

namespace stele::identity {

namespace {

/// Looks for somebody who stays and acts for an owner.
class OwnerSearch {
public:
    OwnerSearch(sdk::Context& context, const IsLeaving& is_leaving,
                std::optional<sdk::RecordKey> everyone)
        : context_(context), is_leaving_(is_leaving), everyone_(std::move(everyone)) {}

    /// Whether an enabled user who stays acts for the principal, as far as not looked at before.
    sdk::Result<bool> finds_under(const sdk::RecordKey& owner) {
        std::vector<sdk::RecordKey> waiting{owner};
        while (!waiting.empty()) {
            const sdk::RecordKey key = std::move(waiting.back());
            waiting.pop_back();
            if (!seen_.insert(key).second) continue;
            if (everyone_ == key) return true;
            auto record = context_.documents().read(key);
            if (!record && is_missing(record.error())) continue;
            if (!record) return record.error();
            const sdk::Principal principal = principal_of(*record);
            if (is_leaving_(principal)) {
                is_owner_leaving_ = true;
                continue;
            }
            if (principal.kind == sdk::PrincipalKind::user) {
                if (principal.enabled) return true;
                continue;
            }
            auto members = context_.authorities().members(key, sdk::MemberKind::any, false);
            if (!members) return members.error();
            waiting.insert(waiting.end(), members->begin(), members->end());
        }
        return false;
    }

    bool is_owner_leaving() const { return is_owner_leaving_; }

private:
    sdk::Context& context_;
    const IsLeaving& is_leaving_;
    const std::optional<sdk::RecordKey> everyone_;
    std::set<sdk::RecordKey> seen_;
    bool is_owner_leaving_ = false;
};

}  // namespace

sdk::Result<void> keep_an_owner(sdk::Context& context, const IsLeaving& is_leaving,
                                const std::string& message) {
    auto acl = context.authorities().acl(context.platform().root);
    if (!acl) return acl.error();
    auto everyone = context.authorities().everyone();
    if (!everyone) return everyone.error();
    OwnerSearch search(context, is_leaving, *std::move(everyone));
    for (const sdk::AclEntry& entry : *acl) {
        if (std::find(entry.roles.begin(), entry.roles.end(), "owner") == entry.roles.end()) {
            continue;
        }
        auto found = search.finds_under(entry.principal);
        if (!found) return found.error();
        if (*found) return {};
    }
    if (!search.is_owner_leaving()) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "principal.last_owner", message);
}

}  // namespace stele::identity
