#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::storage {

/// How the index entries of a record are made (index_entries.hpp).
enum class EntryForm : std::uint8_t {
    /// An entry and a counter for each field: with these stores began.
    each,
    /// Fewer: members that say who did something and when share an entry where they say the same,
    /// plain numbers have one and not two, long texts a short one, and the server's members one
    /// counter for all together.
    shared,
};

/// A record as it lies in the store: a small header, the JSON text exactly as readers get it, and
/// the sealed secrets. The text is served without parsing; looking into it goes through simdjson,
/// so the buffer always has `kPadding` readable bytes behind it.
///
/// Bytes: format, version (8, big endian), length of the text (4, big endian), text, sealed. The
/// format tells how its index entries are made, and whether the text is packed: 1 `each` and not, 2
/// `shared` and packed, 3 `shared` and not.
class Record {
public:
    static constexpr std::size_t kPadding = 64;

    CollectionId collection;
    Sequence sequence;

    /// Takes over the stored bytes in `buffer()`; false when they are no record. Unpacks them,
    /// and appends the
    /// padding to the buffer, so that it is there in copies of the record, too: afterwards the
    /// buffer no longer holds just what was stored.
    bool decode();
    /// Where the engine reads into; keeps its capacity between uses.
    std::string& buffer() { return buffer_; }

    std::uint64_t version() const { return version_; }
    EntryForm entry_form() const { return form_; }
    std::string_view text() const { return {buffer_.data() + kHeaderSize, text_size_}; }
    std::string_view sealed() const {
        return {buffer_.data() + kHeaderSize + text_size_, sealed_size_};
    }
    /// What goes into the store, shorter than `stored`.
    std::string packed() const;
    /// The same with other secrets and all else as it is, the form of its entries among it.
    std::string packed_with(std::string_view sealed) const;
    /// What lies in the store, not packed.
    std::string_view stored() const {
        return {buffer_.data(), kHeaderSize + text_size_ + sealed_size_};
    }
    /// Bytes of what clients have put into it: the text and the sealed secrets.
    std::uint64_t content_size() const { return text_size_ + sealed_size_; }
    sdk::RecordKey key() const { return record_key(collection, sequence); }
    /// Strong ETag with its quotes.
    std::string etag() const;

    static std::string encode(std::uint64_t version, std::string_view text,
                              std::string_view sealed);

private:
    static constexpr std::size_t kHeaderSize = 13;

    std::string buffer_;
    EntryForm form_ = EntryForm::shared;
    std::uint64_t version_ = 0;
    std::size_t text_size_ = 0;
    std::size_t sealed_size_ = 0;
};

}  // namespace stele::kernel::storage
