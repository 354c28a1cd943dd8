#include "collection_keys.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

namespace {

constexpr char kRecordTag = 'd';
constexpr char kCountTag = 'k';

Keeping keeping_for(sdk::SpaceKeyKind kind) {
    switch (kind) {
        case sdk::SpaceKeyKind::record:
            return Keeping::record;
        case sdk::SpaceKeyKind::count:
            return Keeping::count;
        case sdk::SpaceKeyKind::entry:
            break;
    }
    return Keeping::entry;
}

}  // namespace

Keeping keeping_of(std::string_view versioned_key) {
    if (versioned_key.size() < kSlotAndTag || versioned_key.front() == kGraphSlot)
        return Keeping::entry;
    switch (versioned_key[1]) {
        case kRecordTag:
            return Keeping::record;
        case kCountTag:
            return Keeping::count;
        default:
            return Keeping::entry;
    }
}

sdk::Result<std::string> CollectionKeys::prefix_of(const sdk::SpaceKey& key) const {
    std::string prefix{slot_, key.tag};
    if (keeping_of(prefix) == keeping_for(key.kind)) return prefix;
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_key_unknown",
                           "a kind of entries is not known to branches",
                           "tag " + std::string(1, key.tag));
}

sdk::Result<bool> CollectionKeys::versioned(std::string_view key,
                                            std::string& versioned_key) const {
    const auto parts = sdk::read_space_key(collection_, key);
    if (!parts) return false;
    auto prefix = prefix_of(*parts);
    if (!prefix) return prefix.error();
    versioned_key.assign(*prefix).append(parts->rest);
    return true;
}

std::string CollectionKeys::Range::versioned_place(std::string_view key) const {
    if (key.starts_with(head)) return prefix + std::string(key.substr(head.size()));
    return key < head ? prefix : sdk::prefix_end(prefix);
}

sdk::Result<std::optional<CollectionKeys::Range>> CollectionKeys::versioned(
    const sdk::KeyRange& range) const {
    const auto parts = sdk::read_space_key(collection_, range.begin);
    if (!parts) return std::optional<Range>();
    Range found;
    found.head = parts->head;
    if (!range.end.starts_with(found.head) && range.end != sdk::prefix_end(found.head)) {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_range_unknown",
                               "a range of entries leaves what a branch keeps together");
    }
    auto prefix = prefix_of(*parts);
    if (!prefix) return prefix.error();
    found.prefix = *std::move(prefix);
    found.versioned = {found.versioned_place(range.begin), found.versioned_place(range.end)};
    return std::optional<Range>(std::move(found));
}

}  // namespace stele::nodes
