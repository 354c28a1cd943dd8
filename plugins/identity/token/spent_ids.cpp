#include "spent_ids.hpp"

#include <string>

#include <stele/sdk/key_tuple.hpp>

namespace stele::identity {

namespace {

/// One empty row each, under the ids of the domain and of the principal.
std::string spent_row(sdk::Context& context, std::string_view domain_id,
                      std::string_view principal_id) {
    return sdk::KeyWriter(context.key_space("identity.spent_ids"))
        .text(domain_id)
        .text(principal_id)
        .key();
}

}  // namespace

void spend_id(sdk::Context& context, std::string_view domain_id, std::string_view principal_id) {
    context.transaction().put(spent_row(context, domain_id, principal_id), "");
}

sdk::Result<void> check_unspent(sdk::Context& context, const char* member,
                                std::string_view domain_id, std::string_view principal_id) {
    auto row = context.transaction().get(spent_row(context, domain_id, principal_id));
    if (!row) return row.error();
    if (!*row) return {};
    // Answered like an id or a name that is in use.
    const bool is_id = std::string_view(member) == "_doc";
    const char* const code = is_id ? "document.id_taken" : "document.value_taken";
    auto error = sdk::make_error(sdk::ErrorKind::conflict, code,
                                 is_id ? "The id was that of somebody else before."
                                       : "The name was the id of somebody else before.");
    error.violations.push_back({member, code, error.message});
    return error;
}

}  // namespace stele::identity
