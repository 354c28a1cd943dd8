#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::storage {

/// A record as it lies in the store: a small header, the JSON text exactly as readers get it, and
/// the sealed secrets. The text is served without parsing; looking into it goes through simdjson,
/// so the buffer always has `kPadding` readable bytes behind it.
///
/// Bytes: format (1), version (8, big endian), length of the text (4, big endian), text, sealed.
class Record {
public:
    static constexpr std::size_t kPadding = 64;

    CollectionId collection;
    Sequence sequence;

    /// Takes over the stored bytes in `buffer()`; false when they are no record. Appends the
    /// padding to the buffer, so that it is there in copies of the record, too: afterwards the
    /// buffer no longer holds just what was stored.
    bool decode();
    /// Where the engine reads into; keeps its capacity between uses.
    std::string& buffer() { return buffer_; }

    std::uint64_t version() const { return version_; }
    std::string_view text() const { return {buffer_.data() + kHeaderSize, text_size_}; }
    std::string_view sealed() const {
        return {buffer_.data() + kHeaderSize + text_size_, sealed_size_};
    }
    /// What lies in the store.
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
    std::uint64_t version_ = 0;
    std::size_t text_size_ = 0;
    std::size_t sealed_size_ = 0;
};

}  // namespace stele::kernel::storage
