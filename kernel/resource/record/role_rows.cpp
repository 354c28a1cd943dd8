#include "kernel/resource/record/role_rows.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

std::string roles_prefix(const sdk::RecordKey& record) {
    const std::uint64_t platform = sdk::KeyReader(record).integer().value_or(0);
    return sdk::KeyWriter(storage::kind_prefix(platform, storage::kRoleRecordTag))
        .raw(record)
        .key();
}

std::string role_row(const sdk::RecordKey& record, std::string_view role_key) {
    return sdk::KeyWriter(roles_prefix(record)).text(authority::fold_role_key(role_key)).key();
}

}  // namespace

sdk::Result<std::optional<sdk::Json>> read_role(const sdk::Reader& reader,
                                                const sdk::RecordKey& record,
                                                std::string_view key_or_id) {
    auto text = reader.get(role_row(record, key_or_id));
    if (!text) return text.error();
    if (*text) {
        auto role = sdk::parse_json(**text, {.depth = 200});
        if (!role) return role.error();
        return std::optional<sdk::Json>(*std::move(role));
    }
    auto roles = read_roles(reader, record);
    if (!roles) return roles.error();
    for (sdk::Json& role : *roles) {
        if (sdk::text_member(role, "_doc") == key_or_id) return std::optional<sdk::Json>(role);
    }
    return std::optional<sdk::Json>();
}

sdk::Result<std::vector<sdk::Json>> read_roles(const sdk::Reader& reader,
                                               const sdk::RecordKey& record) {
    std::vector<sdk::Json> roles;
    const auto visited = authority::each_entry(
        reader, roles_prefix(record), [&roles](std::string_view, std::string_view text) {
            auto role = sdk::parse_json(text, {.depth = 200});
            if (role) roles.push_back(*std::move(role));
            return role ? sdk::Result<void>() : sdk::Result<void>(role.error());
        });
    if (!visited) return visited.error();
    std::sort(roles.begin(), roles.end(), [](const sdk::Json& a, const sdk::Json& b) {
        return sdk::text_member(a, "_doc") < sdk::text_member(b, "_doc");
    });
    return roles;
}

void write_role(sdk::Transaction& transaction, const sdk::RecordKey& record,
                const sdk::Json& role) {
    transaction.put(role_row(record, sdk::text_member(role, "roleKey")), sdk::dump_json(role));
}

void erase_role(sdk::Transaction& transaction, const sdk::RecordKey& record,
                std::string_view role_key) {
    transaction.remove(role_row(record, role_key));
}

sdk::Result<void> forget_roles(sdk::Transaction& transaction, const sdk::RecordKey& record) {
    auto roles = read_roles(transaction, record);
    if (!roles) return roles.error();
    for (const sdk::Json& role : *roles)
        erase_role(transaction, record, sdk::text_member(role, "roleKey"));
    return {};
}

}  // namespace stele::kernel::resource
