#include "key_and_secret.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::identity {

namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kSecretBytes = 32;

}  // namespace

sdk::Fields with_key_and_secret(const sdk::Fields& own) {
    using enum sdk::FieldKind;
    sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "key", .kind = text, .read_only = true, .unique = true, .addresses = true},
        {.name = "secret", .kind = text, .read_only = true, .secret = true},
    };
    fields.insert(fields.end(), own.begin(), own.end());
    return fields;
}

void make_key_and_secret(sdk::Document& record) {
    record.fields["key"] = sdk::random_hex(kKeyBytes);
    record.secrets["secret"] = sdk::random_token(kSecretBytes);
}

sdk::Result<void> present_secret(const sdk::Call& call, std::string_view type, sdk::Json& record) {
    if (call.parameter("full").value_or("") != "true") return {};
    sdk::Context& context = call.context();
    auto document =
        context.documents().read({std::string(type), ""}, sdk::text_member(record, "_doc"));
    if (!document) return document.error();
    auto may = sdk::holds(context, document->key, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (!*may) return {};
    record["secret"] = sdk::text_member(document->secrets, "secret");
    return {};
}

}  // namespace stele::identity
