#include "transfer/archive_files.hpp"

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

/// A path is kept about twice, and each time with what holds it.
constexpr std::uint64_t kCostOfPath = 200;
constexpr std::uint64_t kMaxKept = std::uint64_t{96} << 20;

}  // namespace

sdk::Result<void> PathMemory::keep(std::string_view path) {
    kept_ += 2 * path.size() + kCostOfPath;
    if (kept_ <= kMaxKept) return {};
    return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                           "the archive has more records and files than one import can bring");
}

sdk::Result<bool> ArchiveFiles::is_in_earlier(std::size_t zip, std::string_view path) const {
    for (std::size_t i = 0; i < zip; ++i) {
        auto found = zips_[i]->find(path);
        if (!found) return found.error();
        if (*found) return true;
    }
    return false;
}

sdk::Result<void> ArchiveFiles::for_each(
    const std::function<sdk::Result<void>(const sdk::ZipEntry& entry)>& visit) const {
    for (std::size_t i = 0; i < zips_.size(); ++i) {
        auto walked = zips_[i]->for_each([&](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
            if (step_) {
                if (auto may = step_(); !may) return may.error();
            }
            if (entry.is_folder() || entry.path.starts_with("__MACOSX/")) return true;
            auto is_earlier = is_in_earlier(i, entry.path);
            if (!is_earlier) return is_earlier.error();
            if (*is_earlier) return true;
            if (auto visited = visit(entry); !visited) return visited.error();
            return true;
        });
        if (!walked) return walked;
    }
    return {};
}

sdk::Result<std::optional<ArchiveFile>> ArchiveFiles::find(std::string_view path) const {
    for (const sdk::ZipReader* const zip : zips_) {
        auto found = zip->find(path);
        if (!found) return found.error();
        if (*found) return std::optional<ArchiveFile>({zip, **std::move(found)});
    }
    return std::optional<ArchiveFile>();
}

sdk::Result<std::string> read_record(const ArchiveFile& file) {
    return file.zip->read_all(file.entry, kMaxRecordBytes);
}

sdk::Result<sdk::Json> read_json(const ArchiveFile& file) {
    auto text = read_record(file);
    return text ? parse_record(file, *text) : text.error();
}

sdk::Result<sdk::Json> parse_record(const ArchiveFile& file, std::string_view text) {
    auto value = sdk::parse_json(text);
    if (value && value->is_object()) return value;
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.record_malformed",
                           file.entry.path + " is no JSON object" +
                               (value ? std::string() : ": " + value.error().message));
}

}  // namespace stele::archives
