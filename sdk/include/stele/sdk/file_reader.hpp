#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A reader of a blob whose bytes lie in a file as they are, from its beginning, so that a network
/// can take them from there. One thread at a time.
class FileReader : public BlobStore::Reader {
public:
    ~FileReader() override;

    /// Open for reading as long as the reader lives.
    virtual int descriptor() const = 0;
    /// Whether the bytes from `first` to before `end` may be sent without `read`. Looks at no bytes
    /// unless it `may_wait` for a disk, and answers false for what it would have to look at. Fails
    /// as `read` does.
    virtual Result<bool> is_sendable(std::uint64_t first, std::uint64_t end, bool may_wait) = 0;
    /// Whether nobody has written to the file since it was found sendable: to be asked before the
    /// last byte goes out. If not, `is_sendable` is asked again. Does not wait.
    virtual bool is_unchanged() const = 0;
};

/// What a place for blobs may be besides (`dynamic_cast`). Any thread.
class FileBlobs : public BlobStore {
public:
    ~FileBlobs() override;

    /// The same as `open`; null when the bytes lie in no file of this host, and when that cannot be
    /// told, or nothing could be sent of them, without waiting although it may not wait.
    virtual Result<std::unique_ptr<FileReader>> open_file(std::string_view name, bool may_wait) = 0;
};

}  // namespace stele::sdk
