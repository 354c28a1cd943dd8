#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// ZIP archives (APPNOTE 6.3) as streams, with ZIP64 where one of their numbers needs it: what is
/// written and read takes no more memory for 100 GB than for 1 MB
/// (docs/decisions/0141-zip-as-a-stream.md).

/// One file, or a folder, whose path ends with a slash, as the directory of an archive tells it.
struct ZipEntry {
    /// UTF-8, slashes between names; never leads out of the archive.
    std::string path;
    std::uint64_t size = 0;
    std::uint64_t packed_size = 0;
    std::uint32_t checksum = 0;
    std::uint16_t method = 0;
    /// Of its local header, from the start of the archive.
    std::uint64_t offset = 0;
    /// Where the next entry, or the directory, begins: nothing of this one lies there.
    std::uint64_t limit = 0;

    bool is_folder() const { return path.ends_with('/'); }
};

/// What an archive that somebody sent may hold. Beyond it is `too_large` (`zip.too_large`).
struct ZipLimits {
    /// Entries, and folders that paths name.
    std::uint64_t entries = 1000;
    /// What all files may expand to: so many times the archive, but never less than `least_bytes`
    /// and never more than `most_bytes`.
    std::uint64_t expansion = 100;
    std::uint64_t least_bytes = std::uint64_t{64} << 20;
    std::uint64_t most_bytes = std::uint64_t{2} << 30;
};

/// Writes an archive into something that takes bytes one after another. Equal content makes equal
/// bytes: entries have no times. One thread; after a failure nothing else is to be asked of it. Its
/// own failures are `storage_full` (`zip.disk_full`) and `unavailable` (`zip.disk_failed`,
/// `zip.memory_missing`); those of sinks and sources are passed on.
class ZipWriter {
public:
    /// Takes what comes next of the archive.
    using Sink = std::function<Result<void>(std::string_view bytes)>;

    /// The directory, which an archive ends with, is kept meanwhile in a file without a name in
    /// `folder`, which exists; nothing is left there, however the writer ends.
    static Result<ZipWriter> open(Sink sink, const std::filesystem::path& folder);
    ~ZipWriter();
    ZipWriter(ZipWriter&&) noexcept;
    ZipWriter& operator=(ZipWriter&&) noexcept;

    /// A file whose bytes are at hand, deflated where that makes it shorter, or a folder, which has
    /// none. `path` is one in UTF-8 that a `ZipReader` takes and that was not written before;
    /// anything else is a logic error, except that nobody looks whether it was written before.
    Result<void> add(std::string_view path, std::string_view bytes);
    /// A file whose bytes come piece by piece (empty: the end). `is_packed`: deflated; of what is
    /// packed already (pictures, films) that is lost time.
    Result<void> add(std::string_view path, const PieceSource& read, bool is_packed);
    /// Writes the directory. Once, at the end.
    Result<void> finish();
    /// How many bytes went into the sink.
    std::uint64_t size() const;

private:
    struct State;
    explicit ZipWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// An archive that somebody sent: files stored or deflated, not encrypted. What its directory says
/// is looked at as a whole when it is opened: unsafe paths (absolute, with `..`, with backslashes
/// or control characters), two entries of one path, links and devices, entries that overlap each
/// other or the directory, and numbers beyond the limits are refused before anything is read. It
/// keeps some 16 bytes of each entry, and as many of each folder while it opens. One thread at a
/// time; what `read` gave may be read by others meanwhile where `bytes` may.
class ZipReader {
public:
    /// `invalid` (`zip.malformed`, `zip.path_unsafe`, `zip.path_twice`), `unsupported`
    /// (`zip.entry_unsupported`), `too_large` (`zip.too_large`), and whatever reading `bytes` fails
    /// with. `bytes` outlives the reader. Where `scratch` is a folder, which exists, what it keeps
    /// of more than some 64,000 entries lies there in files without names: `storage_full`
    /// (`zip.disk_full`), `unavailable` (`zip.disk_failed`).
    static Result<ZipReader> open(BlobStore::Reader& bytes, const ZipLimits& limits,
                                  const std::filesystem::path& scratch = {});
    ~ZipReader();
    ZipReader(ZipReader&&) noexcept;
    ZipReader& operator=(ZipReader&&) noexcept;

    std::uint64_t entry_count() const;
    /// In the order of the directory, until `visit` answers false.
    Result<void> for_each(const std::function<Result<bool>(const ZipEntry& entry)>& visit) const;
    /// The entry of a path; nothing where there is none.
    Result<std::optional<ZipEntry>> find(std::string_view path) const;
    /// Reads a file piece by piece (empty: the end). `invalid` (`zip.malformed`) as soon as it is
    /// not what the directory says: other header, more bytes, another checksum. `entry` is one of
    /// this reader, which outlives it.
    PieceSource read(const ZipEntry& entry) const;
    /// A file that must be small: `too_large` (`zip.too_large`) beyond `limit` bytes.
    Result<std::string> read_all(const ZipEntry& entry, std::size_t limit) const;

private:
    struct State;
    explicit ZipReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace stele::sdk
