#include <stele/sdk/platform_owners.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace stele::sdk {

namespace {

class OwnerSearch {
public:
    OwnerSearch(Context& context, PrincipalDirectory& principals, const IsLeaving& is_leaving,
                std::optional<RecordKey> everyone)
        : context_(context),
          principals_(principals),
          is_leaving_(is_leaving),
          everyone_(std::move(everyone)) {}

    /// Whether somebody acts for the principal, as far as not looked at before.
    Result<bool> finds_under(const RecordKey& owner) {
        std::vector<RecordKey> waiting{owner};
        while (!waiting.empty()) {
            const RecordKey key = std::move(waiting.back());
            waiting.pop_back();
            if (!seen_.insert(key).second) continue;
            if (everyone_ == key) return true;
            auto principal = describe(key);
            if (!principal) return principal.error();
            if (!*principal || (is_leaving_ && is_leaving_(**principal))) continue;
            if ((*principal)->kind == PrincipalKind::user) {
                auto can = principals_.can_log_in(context_, **principal);
                if (!can || *can) return can;
                continue;
            }
            auto members = context_.authorities().members(key, MemberKind::any, false);
            if (!members) return members.error();
            waiting.insert(waiting.end(), members->begin(), members->end());
        }
        return false;
    }

private:
    /// Nothing for one that is gone, also with its domain, whose records go later.
    Result<std::optional<Principal>> describe(const RecordKey& key) {
        auto record = context_.documents().read(key);
        if (!record && is_missing(record.error())) return std::optional<Principal>();
        if (!record) return record.error();
        auto principal = principals_.describe(context_, key);
        if (!principal && is_missing(principal.error())) return std::optional<Principal>();
        if (!principal) return principal.error();
        return std::optional<Principal>(*std::move(principal));
    }

    Context& context_;
    PrincipalDirectory& principals_;
    const IsLeaving& is_leaving_;
    const std::optional<RecordKey> everyone_;
    std::set<RecordKey> seen_;
};

}  // namespace

Result<bool> has_owner(Context& context, PrincipalDirectory& principals,
                       const IsLeaving& is_leaving) {
    auto acl = context.authorities().acl(context.platform().root);
    if (!acl) return acl.error();
    auto everyone = context.authorities().everyone();
    if (!everyone) return everyone.error();
    OwnerSearch search(context, principals, is_leaving, *std::move(everyone));
    for (const AclEntry& entry : *acl) {
        const bool owns =
            std::find(entry.roles.begin(), entry.roles.end(), "owner") != entry.roles.end();
        if (!owns) continue;
        auto found = search.finds_under(entry.principal);
        if (!found || *found) return found;
    }
    return false;
}

Result<bool> keeps_owner(Context& context, PrincipalDirectory& principals,
                         const RecordKey& principal, const std::function<Result<void>()>& change) {
    auto owns = context.authorities().has_role(principal, context.platform().root, "owner");
    if (!owns) return owns;
    auto was_owned = *owns ? has_owner(context, principals) : Result<bool>(false);
    if (!was_owned) return was_owned;
    if (auto changed = change(); !changed) return changed.error();
    return *was_owned ? has_owner(context, principals) : true;
}

Result<bool> has_rights_of(Context& context, const RecordKey& group) {
    const RecordKey& root = context.platform().root;
    auto rights = context.authorities().permissions(group, root);
    if (!rights) return rights.error();
    return holds(context, root, *rights);
}

}  // namespace stele::sdk
