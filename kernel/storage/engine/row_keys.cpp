#include "kernel/storage/engine/row_keys.hpp"

#include <array>

#include <sodium.h>

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::storage {

namespace {

// Engines bound the size of a key; longer values are told apart by their hash.
constexpr std::size_t kMaxUniqueLength = 256;
constexpr std::size_t kKeptOfLong = 64;

std::string shortened(std::string_view value) {
    std::array<unsigned char, crypto_generichash_BYTES> hash{};
    crypto_generichash(hash.data(), hash.size(),
                       reinterpret_cast<const unsigned char*>(value.data()), value.size(), nullptr,
                       0);
    std::string text(value.substr(0, kKeptOfLong));
    return text.append(reinterpret_cast<const char*>(hash.data()), hash.size());
}

}  // namespace

std::string alias_key(CollectionId collection, std::string_view alias) {
    return sdk::KeyWriter(collection_prefix(collection, 'a')).text(alias).key();
}

std::string alias_prefix_of(CollectionId collection, std::string_view sequence) {
    return sdk::KeyWriter(collection_prefix(collection, 'A')).raw(sequence).key();
}

std::string alias_of_key(CollectionId collection, std::string_view sequence,
                         std::string_view alias) {
    return sdk::KeyWriter(alias_prefix_of(collection, sequence)).text(alias).key();
}

AliasTarget AliasTarget::decode(std::string_view stored) {
    return {Sequence(stored.substr(0, kSequenceSize)), stored.size() > kSequenceSize};
}

std::string unique_prefix(CollectionId collection, std::uint64_t field) {
    return sdk::KeyWriter(collection_prefix(collection, 'u')).integer(field).key();
}

std::string unique_key(CollectionId collection, std::uint64_t field, std::string_view value) {
    return sdk::KeyWriter(unique_prefix(collection, field))
        .text(value.size() > kMaxUniqueLength ? shortened(value) : value)
        .key();
}

sdk::Error broken_record(CollectionId collection, std::string_view sequence) {
    return sdk::make_error(
        sdk::ErrorKind::internal, "document.record_broken", "A stored record cannot be read.",
        "collection " + std::to_string(collection.number) + ", record " + sequence_text(sequence));
}

}  // namespace stele::kernel::storage
