#include "key_and_secret.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::identity {

namespace {

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMaxKeyBytes = 255;
constexpr std::size_t kMaxSecretBytes = 1024;

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

std::optional<BroughtKey> BroughtKey::of(const sdk::Json& secrets) {
    BroughtKey brought{sdk::text_member(secrets, "key"), sdk::text_member(secrets, "secret")};
    const auto is_plain = [](char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
               (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
    };
    const bool is_fit = !brought.key.empty() && brought.key.size() <= kMaxKeyBytes &&
                        std::all_of(brought.key.begin(), brought.key.end(), is_plain) &&
                        !brought.secret.empty() && brought.secret.size() <= kMaxSecretBytes;
    return is_fit ? std::optional<BroughtKey>(std::move(brought)) : std::nullopt;
}

bool BroughtKey::is_made_key() const {
    const auto bytes = sdk::hex_bytes(key);
    return bytes && bytes->size() == kKeyBytes;
}

void add_key_and_secret(const sdk::Document& record, sdk::Json& secrets) {
    secrets["key"] = sdk::text_member(record.fields, "key");
    secrets["secret"] = sdk::text_member(record.secrets, "secret");
}

sdk::Result<bool> restore_key_and_secret(sdk::Context& context, std::string_view type,
                                         const sdk::Document& record, const BroughtKey& brought,
                                         bool may_take_key) {
    const bool has_key = sdk::text_member(record.fields, "key") == brought.key;
    if (has_key && sdk::text_member(record.secrets, "secret") == brought.secret) return true;
    const sdk::CollectionName collection{std::string(type), ""};
    if (!has_key) {
        if (!may_take_key) return false;
        // By its id, too: a path leads to either.
        auto other = context.documents().read(collection, brought.key);
        if (other) return false;
        if (!sdk::is_missing(other.error())) return other.error();
    }
    auto patched = context.documents().patch(collection, record.id,
                                             {{"key", brought.key}, {"secret", brought.secret}});
    if (!patched) return patched.error();
    return true;
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
