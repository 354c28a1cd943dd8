#include "kernel/authority/grant_entry.hpp"

#include <random>

#include "kernel/authority/authority_keys.hpp"

namespace stele::kernel::authority {

namespace {

constexpr char kPlain = 'p';
constexpr char kDeep = 'd';
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
    return sdk::KeyWriter().tag(is_deep ? kDeep : kPlain).text(id).text(role_key).key();
}

sdk::Result<GrantEntry> GrantEntry::decode(std::string_view value) {
    sdk::KeyReader reader(value);
    const auto reach = reader.tag();
    auto id = reader.text();
    auto role_key = reader.text();
    if ((reach != kPlain && reach != kDeep) || !id || !role_key) return broken_entry("a grant");
    return GrantEntry{reach == kDeep, *std::move(id), *std::move(role_key)};
}

GrantEntry GrantEntry::make(std::string role_key, bool is_deep) {
    return {is_deep, new_id(), std::move(role_key)};
}

}  // namespace stele::kernel::authority
