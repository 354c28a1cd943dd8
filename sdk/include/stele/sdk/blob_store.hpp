#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// `binaryStorageProviderType` of the provider that is always there and is taken where a data store
/// names none: files in a folder beside the store.
inline constexpr char kFileProvider[] = "fs";

/// Bytes of any size, named by their content (BLAKE2b, hexadecimal), streamed both ways, on disk
/// before they are acknowledged. Any thread; may wait for a disk or another machine.
class BlobStore {
public:
    virtual ~BlobStore();

    /// Takes bytes piece by piece; nothing is visible before `finish`, which answers the name.
    class Writer {
    public:
        virtual ~Writer();
        virtual Result<void> write(std::string_view bytes) = 0;
        virtual Result<std::string> finish() = 0;
    };
    class Reader {
    public:
        virtual ~Reader();
        virtual std::uint64_t size() const = 0;
        /// Reads up to `limit` bytes from `offset` into `out` (replaced); empty at the end.
        virtual Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) = 0;
    };
    virtual Result<std::unique_ptr<Writer>> create() = 0;
    /// `not_found` (`blob.unknown`) when there is none of that name.
    virtual Result<std::unique_ptr<Reader>> open(std::string_view name) = 0;
    virtual Result<bool> exists(std::string_view name) = 0;
    virtual Result<void> remove(std::string_view name) = 0;
    virtual Result<void> for_each(const std::function<void(std::string_view name)>& visit) = 0;

    /// Those that were written for the last time, equal bytes included, before `epoch_ms`. None
    /// where the place cannot tell; then unused bytes are not collected.
    virtual Result<void> for_each_before(std::int64_t epoch_ms,
                                         const std::function<void(std::string_view name)>& visit);
    /// Removes bytes unless they were written since `epoch_ms`, in one step against any writer of
    /// equal bytes. How many bytes that were; nothing when they stay or are gone.
    virtual Result<std::optional<std::uint64_t>> remove_before(std::string_view name,
                                                               std::int64_t epoch_ms);
};

}  // namespace stele::sdk
