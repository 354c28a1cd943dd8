#include "system_assignments.hpp"

#include <string>

#include "assignments.hpp"
#include "policy_catalogue.hpp"

namespace stele::access_policies {

sdk::Result<void> SystemAssignments::assign(sdk::Context& context, std::string_view key,
                                            const sdk::RecordKey& principal) {
    if (!system_policy_row(key)) {
        return sdk::make_error(sdk::ErrorKind::not_found, "access_policies.entry_unknown",
                               "there is no entry " + std::string(key));
    }
    auto reference = context.reference(principal);
    if (!reference) return reference.error();
    return Assignments(context).assign(key, *reference);
}

}  // namespace stele::access_policies
