#include "removed_platform.hpp"

#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/key_tuple.hpp>

#include "guard/known_addresses.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

/// Rows of one kind that one step removes.
constexpr std::size_t kMaxRows = 500;

using Rows = std::vector<std::pair<std::string, std::string>>;

/// The first rows with the prefix.
sdk::Result<Rows> first_rows(const sdk::Reader& reader, const std::string& prefix) {
    Rows rows;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && rows.size() < kMaxRows; cursor->next())
        rows.emplace_back(cursor->key(), cursor->value());
    if (auto status = cursor->status(); !status) return status.error();
    return rows;
}

}  // namespace

sdk::Result<bool> forget_platform(sdk::Context& context) {
    sdk::Transaction& transaction = context.transaction();
    const SessionKeys keys = SessionKeys::of(context);
    // Record keys begin with the number of their platform.
    const std::string platform = sdk::KeyWriter().integer(context.platform().number).key();
    auto principals = first_rows(transaction, keys.principal(platform));
    auto clients = first_rows(transaction, keys.client(platform));
    auto identities = first_rows(transaction, keys.identity_places(context.platform().number));
    for (const auto* rows : {&principals, &clients, &identities}) {
        if (!*rows) return rows->error();
    }
    for (const auto& [key, value] : *principals) {
        const auto row = PrincipalRow::decode(value);
        const auto parts = keys.split(key);
        if (row && parts && !row->identity.empty()) {
            transaction.remove(keys.identity_user(row->identity, parts->rest));
        }
        if (parts) forget_addresses(context, sdk::RecordKey(parts->rest));
        transaction.remove(key);
    }
    for (const auto& [key, value] : *clients) {
        if (const auto row = ClientRow::decode(value))
            transaction.remove(keys.client_key(row->key));
        transaction.remove(key);
    }
    for (const auto& [key, value] : *identities)
        transaction.remove(key);
    return principals->size() < kMaxRows && clients->size() < kMaxRows &&
           identities->size() < kMaxRows;
}

}  // namespace stele::identity
