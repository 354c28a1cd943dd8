#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/zip.hpp>

namespace stele::archives {

/// One record, and each list beside one.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;

/// A file of an archive, in the zip that holds it, which outlives it.
struct ArchiveFile {
    const sdk::ZipReader* zip = nullptr;
    sdk::ZipEntry entry;

    sdk::PieceSource read() const { return zip->read(entry); }
};

/// Asked between the steps of what takes long; a failure ends it.
using Step = std::function<sdk::Result<void>()>;

/// The files of an archive, or of the parts that are one: where two have a file of the same path,
/// the first has it. Folders, and what desktops pack beside files, are none. One thread; the zips
/// outlive it.
class ArchiveFiles {
public:
    /// `scratch` is a folder for files without names, in which what is known of the files is kept;
    /// empty: in memory.
    /// `step` is asked for each file of a walk.
    explicit ArchiveFiles(std::filesystem::path scratch = {}, Step step = {})
        : scratch_(std::move(scratch)), step_(std::move(step)) {}

    const std::filesystem::path& scratch() const { return scratch_; }
    void add(const sdk::ZipReader& zip) { zips_.push_back(&zip); }

    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const sdk::ZipEntry& entry)>& visit) const;
    /// Nothing where there is none.
    sdk::Result<std::optional<ArchiveFile>> find(std::string_view path) const;

private:
    sdk::Result<bool> is_in_earlier(std::size_t zip, std::string_view path) const;

    std::filesystem::path scratch_;
    Step step_;
    std::vector<const sdk::ZipReader*> zips_;
};

/// What reading an archive may keep in memory of its records, those of content not counted. One
/// thread.
class PathMemory {
public:
    /// `too_large` (`archives.transfer_too_large`) beyond some 200,000 paths of usual length.
    sdk::Result<void> keep(std::string_view path);

private:
    std::uint64_t kept_ = 0;
};

/// The text of a record in an archive.
sdk::Result<std::string> read_record(const ArchiveFile& file);
/// Of such a text; fails as `read_json` does.
sdk::Result<sdk::Json> parse_record(const ArchiveFile& file, std::string_view text);
/// A JSON object in an archive: `invalid` (`archives.record_malformed`) for anything else.
sdk::Result<sdk::Json> read_json(const ArchiveFile& file);

}  // namespace stele::archives
