#include "kernel/storage/backends/leveldb/store_manifest.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "kernel/storage/backends/leveldb/block_reader.hpp"
#include "kernel/storage/backends/leveldb/log_scan.hpp"

namespace stele::kernel::storage {

namespace {

/// What an entry of a manifest begins with.
enum class EditTag : std::uint64_t {
    comparator = 1,
    log_number = 2,
    next_file = 3,
    last_sequence = 4,
    compact_pointer = 5,
    deleted_file = 6,
    new_file = 7,
    previous_log = 9,
};

/// A key of a table without the number of its write, which LevelDB puts behind it.
std::string table_key(BlockReader& reader) {
    constexpr std::size_t kNumber = 8;
    const std::string_view key = reader.text(reader.number());
    return std::string(key.substr(0, key.size() - std::min(kNumber, key.size())));
}

/// Applies one edit; false when it is none.
bool apply_edit(std::string_view record, StoreManifest& manifest) {
    BlockReader reader(record);
    while (!reader.is_at_end()) {
        const auto tag = static_cast<EditTag>(reader.number());
        switch (tag) {
            case EditTag::comparator:
                reader.text(reader.number());
                break;
            case EditTag::log_number:
                manifest.first_log = reader.number();
                break;
            case EditTag::next_file:
            case EditTag::last_sequence:
            case EditTag::previous_log:
                reader.number();
                break;
            case EditTag::compact_pointer:
                reader.number();
                reader.text(reader.number());
                break;
            case EditTag::deleted_file:
                reader.number();
                manifest.tables.erase(reader.number());
                break;
            case EditTag::new_file: {
                const std::uint64_t level = reader.number();
                StoreTable& table = manifest.tables[reader.number()];
                table.level = level;
                table.size = reader.number();
                table.first = table_key(reader);
                table.last = table_key(reader);
                break;
            }
            default:
                return false;
        }
        if (!reader.is_sound()) return false;
    }
    return true;
}

std::string numbered_name(std::uint64_t number, const char* ending) {
    constexpr std::size_t kDigits = 6;
    const std::string digits = std::to_string(number);
    return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits + ending;
}

}  // namespace

std::string table_name(std::uint64_t number) {
    return numbered_name(number, ".ldb");
}

std::string log_name(std::uint64_t number) {
    return numbered_name(number, ".log");
}

sdk::Error damaged_file(const std::filesystem::path& file, const std::string& what) {
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged",
                           "The store is damaged: " + file.string() + ": " + what + ".");
}

sdk::Result<std::string> read_store_file(const std::filesystem::path& file) {
    // Elsewhere, opening might wait for ever.
    std::error_code problem;
    const auto kind = std::filesystem::status(file, problem);
    if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind))
        return damaged_file(file, "it is not a file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return damaged_file(file, "it is missing or cannot be opened");
    std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) return damaged_file(file, "it cannot be read");
    return bytes;
}

sdk::Result<std::string> present_manifest(const std::filesystem::path& folder) {
    constexpr std::string_view kBeginning = "MANIFEST-";
    auto name = read_store_file(folder / "CURRENT");
    if (!name) return name;
    const bool is_name =
        name->starts_with(kBeginning) && name->ends_with('\n') &&
        name->find_first_not_of("0123456789", kBeginning.size()) == name->size() - 1;
    if (!is_name) return damaged_file(folder / "CURRENT", "it names no manifest");
    name->pop_back();
    return name;
}

sdk::Result<StoreManifest> read_manifest(const std::filesystem::path& folder) {
    auto name = present_manifest(folder);
    if (!name) return name.error();
    auto bytes = read_store_file(folder / *name);
    if (!bytes) return bytes.error();
    StoreManifest manifest;
    manifest.name = std::move(*name);
    bool is_read = true;
    const LogScan scan = scan_log(*bytes, [&](std::string_view record) {
        is_read = is_read && apply_edit(record, manifest);
    });
    if (scan.state == LogScan::State::damaged || scan.kept_bytes == 0) {
        return damaged_file(folder / manifest.name,
                            "a checksum is wrong at offset " + std::to_string(scan.offset));
    }
    if (!is_read) return damaged_file(folder / manifest.name, "an entry cannot be read");
    return manifest;
}

sdk::Result<void> check_log_is_there(const std::filesystem::path& folder,
                                     const StoreManifest& manifest) {
    std::error_code problem;
    const std::filesystem::path log = folder / log_name(manifest.first_log);
    // None is named before the first start has come to its end.
    if (manifest.first_log == 0 || std::filesystem::is_regular_file(log, problem)) return {};
    return damaged_file(log, "it is gone, and with it the writes that no table has yet");
}

}  // namespace stele::kernel::storage
