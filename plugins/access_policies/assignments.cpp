#include "assignments.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/letter_case.hpp>

namespace stele::access_policies {

namespace {

std::string tagged(const std::string& space, char tag, std::string_view text) {
    return sdk::KeyWriter(space).tag(tag).text(text).key();
}

}  // namespace

sdk::Result<void> check_reference(std::string_view reference) {
    if (reference.find("://") != std::string_view::npos) return {};
    return sdk::make_error({{"ref", "access_policies.reference_malformed",
                             std::string(reference) + " is no reference"}});
}

std::string principal_prefix(const std::string& space, const sdk::RecordKey& principal) {
    return tagged(space, 'k', principal);
}

std::string policy_row(const std::string& space, std::string_view policy) {
    return tagged(space, 'd', policy);
}

sdk::Result<bool> has_targets(const sdk::Reader& reader, const std::string& space,
                              std::string_view policy) {
    const std::string prefix = tagged(space, 'p', policy);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    if (auto status = cursor->status(); !status) return status.error();
    return cursor->is_valid();
}

std::string Assignments::reference_row(std::string_view reference, std::string_view policy) const {
    return sdk::KeyWriter(tagged(space_, 'r', reference)).text(policy).key();
}

std::string Assignments::principal_row(const sdk::RecordKey& principal,
                                       std::string_view policy) const {
    return sdk::KeyWriter(principal_prefix(space_, principal)).text(policy).key();
}

sdk::Result<void> Assignments::assign(std::string_view policy, std::string_view reference) {
    // What the reference meant before may be another principal than what it means now.
    if (auto undone = unassign(policy, reference); !undone) return undone;
    const std::string lower = sdk::lower_case(reference);
    auto principal = principal_of(reference);
    if (!principal) return principal.error();
    sdk::Transaction& transaction = context_.transaction();
    transaction.put(sdk::KeyWriter(tagged(space_, 'p', policy)).text(lower).key(), reference);
    transaction.put(reference_row(lower, policy), *principal);
    if (!principal->empty()) {
        transaction.put(principal_row(*principal, policy), "");
    }
    return context_.authorities().withdraw_decisions();
}

/// Empty when the reference means nothing on the platform.
sdk::Result<sdk::RecordKey> Assignments::principal_of(std::string_view reference) {
    auto found = context_.find_reference(reference);
    if (found) return found;
    const sdk::ErrorKind kind = found.error().kind;
    const bool means_nothing = kind == sdk::ErrorKind::not_found || kind == sdk::ErrorKind::invalid;
    return means_nothing ? sdk::RecordKey() : found;
}

sdk::Result<void> Assignments::unassign(std::string_view policy, std::string_view reference) {
    if (auto checked = check_reference(reference); !checked) return checked;
    const std::string lower = sdk::lower_case(reference);
    sdk::Transaction& transaction = context_.transaction();
    const std::string row = reference_row(lower, policy);
    // The principal that was meant when the policy was assigned, whatever it is called by now.
    auto principal = transaction.get(row);
    if (!principal) return principal.error();
    if (!*principal) return {};
    transaction.remove(sdk::KeyWriter(tagged(space_, 'p', policy)).text(lower).key());
    transaction.remove(row);
    if ((*principal)->empty()) return {};
    auto is_still_meant = names_principal(policy, **principal);
    if (!is_still_meant) return is_still_meant.error();
    if (*is_still_meant) return {};
    transaction.remove(principal_row(**principal, policy));
    return context_.authorities().withdraw_decisions();
}

sdk::Result<void> Assignments::unassign_target(std::string_view policy,
                                               std::string_view reference) {
    auto principal = principal_of(reference);
    if (!principal) return principal.error();
    if (auto undone = unassign(policy, reference); !undone || principal->empty()) return undone;
    auto references = last_elements(tagged(space_, 'p', policy));
    if (!references) return references.error();
    for (const std::string& other : *references) {
        if (auto may = context_.go_on(); !may) return may;
        auto meant = context_.transaction().get(reference_row(other, policy));
        if (!meant) return meant.error();
        if (!*meant || **meant != *principal) continue;
        if (auto undone = unassign(policy, other); !undone) return undone;
    }
    return {};
}

sdk::Result<bool> Assignments::names_principal(std::string_view policy,
                                               const sdk::RecordKey& principal) {
    auto references = last_elements(tagged(space_, 'p', policy));
    if (!references) return references.error();
    for (const std::string& reference : *references) {
        if (auto may = context_.go_on(); !may) return may.error();
        auto meant = context_.transaction().get(reference_row(reference, policy));
        if (!meant) return meant.error();
        if (*meant && **meant == principal) return true;
    }
    return false;
}

sdk::Result<std::vector<std::string>> Assignments::last_elements(const std::string& prefix) {
    std::vector<std::string> elements;
    const auto cursor =
        context_.transaction().scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        sdk::KeyReader reader(cursor->key().substr(prefix.size()));
        if (auto element = reader.text()) elements.push_back(std::move(*element));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return elements;
}

sdk::Result<std::vector<std::string>> Assignments::policies_of(std::string_view reference) {
    return last_elements(tagged(space_, 'r', sdk::lower_case(reference)));
}

sdk::Result<std::vector<std::string>> Assignments::policies_of_principal(
    const sdk::RecordKey& principal) {
    return last_elements(principal_prefix(space_, principal));
}

sdk::Result<std::vector<std::string>> Assignments::targets_of(std::string_view policy) {
    std::vector<std::string> references;
    const std::string prefix = tagged(space_, 'p', policy);
    const auto cursor =
        context_.transaction().scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        references.emplace_back(cursor->value());
    if (auto status = cursor->status(); !status) return status.error();
    return references;
}

sdk::Result<void> Assignments::remove_policy(std::string_view policy) {
    // Every reference goes, so no principal needs to be looked for among the others.
    const std::string prefix = tagged(space_, 'p', policy);
    auto references = last_elements(prefix);
    if (!references) return references.error();
    sdk::Transaction& transaction = context_.transaction();
    for (const std::string& reference : *references) {
        const std::string row = reference_row(reference, policy);
        auto principal = transaction.get(row);
        if (!principal) return principal.error();
        if (*principal && !(*principal)->empty()) {
            transaction.remove(principal_row(**principal, policy));
        }
        transaction.remove(row);
        transaction.remove(sdk::KeyWriter(prefix).text(reference).key());
    }
    transaction.remove(policy_row(space_, policy));
    return context_.authorities().withdraw_decisions();
}

void Assignments::store_policy(const sdk::Document& policy) {
    // The key is bytes; the order of their hexadecimal text is the order of creation.
    sdk::Json row = {{"id", policy.id}, {"created", sdk::hex_text(policy.key)}};
    for (const char* name : {"order", "scope", "statements"}) {
        const auto member = policy.fields.find(name);
        if (member != policy.fields.end()) row[name] = *member;
    }
    context_.transaction().put(policy_row(space_, policy.id), sdk::dump_json(row));
}

}  // namespace stele::access_policies
