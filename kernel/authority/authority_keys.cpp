#include "kernel/authority/authority_keys.hpp"

#include <stele/sdk/letter_case.hpp>

namespace stele::kernel::authority {

namespace {

sdk::KeyWriter under(std::uint64_t platform, char tag) {
    sdk::KeyWriter writer;
    writer.integer(platform).tag(tag);
    return writer;
}

}  // namespace

sdk::Result<std::uint64_t> platform_of(std::string_view record_key) {
    std::string_view rest = record_key;
    if (!cut_record_key(rest) || !rest.empty()) return broken_entry("a record key");
    return *sdk::KeyReader(record_key).integer();
}

std::optional<std::string_view> cut_record_key(std::string_view& bytes) {
    sdk::KeyReader reader(bytes);
    if (!reader.integer() || !reader.integer() || !reader.raw(kSequenceSize)) return std::nullopt;
    const std::string_view key = bytes.substr(0, bytes.size() - reader.rest().size());
    bytes = reader.rest();
    return key;
}

std::string fold_role_key(std::string_view role_key) {
    return sdk::lower_case(role_key);
}

std::string entries_prefix(std::uint64_t platform, char tag, std::string_view first) {
    return under(platform, tag).raw(first).key();
}

std::string grant_key_prefix(std::uint64_t platform, char tag, std::string_view first,
                             std::string_view second) {
    return under(platform, tag).raw(first).raw(second).key();
}

std::string grant_key(std::uint64_t platform, char tag, std::string_view first,
                      std::string_view second, std::string_view role_key) {
    return under(platform, tag).raw(first).raw(second).text(role_key).key();
}

std::string membership_key(std::uint64_t platform, char tag, std::string_view first,
                           std::string_view second) {
    return under(platform, tag).raw(first).raw(second).key();
}

std::string role_definition_key(std::uint64_t platform, std::string_view container,
                                std::string_view role_key) {
    return under(platform, kRoleTag).raw(container).text(role_key).key();
}

std::string everyone_key(std::uint64_t platform) {
    return under(platform, kEveryoneTag).key();
}

std::string withdrawals_key(std::uint64_t platform) {
    return under(platform, kWithdrawalsTag).key();
}

std::string removal_key(std::uint64_t platform, std::uint64_t collection) {
    return under(platform, kRemovalTag).integer(collection).key();
}

sdk::Error broken_entry(std::string_view what) {
    return sdk::make_error(sdk::ErrorKind::internal, "authority.entry_broken",
                           "A stored right cannot be read.",
                           "the bytes of " + std::string(what) + " make no sense");
}

}  // namespace stele::kernel::authority
