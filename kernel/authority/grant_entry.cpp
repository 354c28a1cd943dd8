#include "kernel/authority/grant_entry.hpp"

#include <stele/sdk/seal.hpp>

#include "kernel/authority/authority_keys.hpp"

namespace stele::kernel::authority {

namespace {

constexpr char kPlain = 'p';
constexpr char kDeep = 'd';
constexpr char kPlainWhole = 'P';
constexpr char kDeepWhole = 'D';
constexpr std::size_t kIdBytes = 10;

}  // namespace

std::string GrantEntry::encode() const {
    const char reach = is_whole ? (is_deep ? kDeepWhole : kPlainWhole) : (is_deep ? kDeep : kPlain);
    return sdk::KeyWriter().tag(reach).text(id).text(role_key).key();
}

sdk::Result<GrantEntry> GrantEntry::decode(std::string_view value) {
    sdk::KeyReader reader(value);
    const auto reach = reader.tag();
    auto id = reader.text();
    auto role_key = reader.text();
    const bool is_whole = reach == kPlainWhole || reach == kDeepWhole;
    if ((reach != kPlain && reach != kDeep && !is_whole) || !id || !role_key)
        return broken_entry("a grant");
    return GrantEntry{reach == kDeep || reach == kDeepWhole, is_whole, *std::move(id),
                      *std::move(role_key)};
}

GrantEntry GrantEntry::make(std::string role_key, bool is_deep) {
    return {is_deep, false, sdk::random_hex(kIdBytes), std::move(role_key)};
}

}  // namespace stele::kernel::authority
