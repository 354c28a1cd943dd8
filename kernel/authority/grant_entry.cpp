#include "kernel/authority/grant_entry.hpp"

#include <random>

#include "kernel/authority/authority_keys.hpp"

namespace stele::kernel::authority {

namespace {

constexpr char kPlain = 'p';
constexpr char kDeep = 'd';
constexpr char kPlainWhole = 'P';
constexpr char kDeepWhole = 'D';
constexpr std::size_t kIdSize = 20;

std::string new_id() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    thread_local std::mt19937_64 random = [] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }();
    std::uniform_int_distribution<std::size_t> digit(0, kDigits.size() - 1);
    std::string id(kIdSize, '\0');
    for (char& c : id)
        c = kDigits[digit(random)];
    return id;
}

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
    return {is_deep, false, new_id(), std::move(role_key)};
}

}  // namespace stele::kernel::authority
