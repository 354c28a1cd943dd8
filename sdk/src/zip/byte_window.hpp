#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk::zip {

/// The bytes of an archive up to `end`, of which one piece is in memory: what was asked for last
/// and what follows it, `ahead` bytes in all where there are as many. Views are valid until the
/// next call. One thread; `bytes` outlives it.
class ByteWindow {
public:
    ByteWindow(BlobStore::Reader& bytes, std::uint64_t end, std::size_t ahead)
        : bytes_(&bytes), end_(end), ahead_(ahead) {}

    /// Exactly these bytes; `invalid` (`zip.malformed`) where some of them lie behind the end.
    Result<std::string_view> at(std::uint64_t position, std::size_t size);
    /// One byte or more, as many as are in memory, but no more than `most`, which is not 0.
    Result<std::string_view> some(std::uint64_t position, std::uint64_t most);

private:
    Result<void> load(std::uint64_t position, std::size_t size);
    bool holds(std::uint64_t position, std::size_t size) const;

    BlobStore::Reader* bytes_;
    std::uint64_t end_;
    std::size_t ahead_;
    std::uint64_t begin_ = 0;
    std::string loaded_;
};

}  // namespace stele::sdk::zip
