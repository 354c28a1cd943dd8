#include "kernel/storage/backends/leveldb/store_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <stele/sdk/log.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/folder_seal.hpp"
#include "kernel/storage/backends/leveldb/log_scan.hpp"
#include "kernel/storage/backends/leveldb/store_manifest.hpp"
#include "kernel/storage/backends/leveldb/table_scan.hpp"

namespace stele::kernel::storage {

namespace {

namespace fs = std::filesystem;

/// The logs that hold what no table has yet, in their order.
std::vector<fs::path> logs_in_use(const fs::path& folder, const StoreManifest& manifest) {
    std::vector<std::uint64_t> numbers;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        std::uint64_t number = 0;
        const auto [rest, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (fault == std::errc() && std::string_view(rest) == ".log" &&
            number >= manifest.first_log)
            numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<fs::path> logs;
    for (const std::uint64_t number : numbers)
        logs.push_back(folder / log_name(number));
    return logs;
}

sdk::Error damaged_at(const fs::path& file, std::uint64_t offset) {
    return damaged_file(file, "a checksum is wrong at offset " + std::to_string(offset));
}

/// Only what was written last may be torn: a log that another one follows was on disk as a whole.
sdk::Result<LogScan> scan_file(const fs::path& file, bool is_last) {
    auto bytes = read_store_file(file);
    if (!bytes) return bytes.error();
    const LogScan scan = scan_log(*bytes);
    const bool is_damaged =
        scan.state == LogScan::State::damaged || (scan.state == LogScan::State::torn && !is_last);
    if (is_damaged) return damaged_at(file, scan.offset);
    return scan;
}

sdk::Result<void> take_torn_end(const fs::path& file, const LogScan& scan) {
    if (scan.state != LogScan::State::torn) return {};
    sdk::log(sdk::LogLevel::warning, "storage",
             file.string() + " ends in the middle of a write at offset " +
                 std::to_string(scan.kept_bytes) +
                 ", which was not acknowledged; the rest is taken away");
    const file::PosixFile opened(file, O_WRONLY);
    const bool is_cut =
        opened.is_open() &&
        ::ftruncate(opened.descriptor(), static_cast<off_t>(scan.kept_bytes)) == 0 &&
        ::fsync(opened.descriptor()) == 0;
    if (is_cut) return {};
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "engine.open_failed",
        file.string() + " cannot be shortened: " + file::system_reason(errno) + ".");
}

sdk::Result<void> prepare_log_file(const fs::path& file, bool is_last) {
    auto scan = scan_file(file, is_last);
    return scan ? take_torn_end(file, *scan) : sdk::Result<void>(scan.error());
}

}  // namespace

bool is_new_store(const fs::path& folder) {
    std::error_code problem;
    if (fs::exists(folder / "CURRENT", problem)) return false;
    // One that lost its beginning must not become an empty one.
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string ending = entry->path().extension().string();
        if (ending == ".ldb" || ending == ".log") return false;
    }
    return true;
}

sdk::Result<void> prepare_store_files(const fs::path& folder) {
    if (is_new_store(folder)) return {};
    const FolderSeal seal(folder);
    if (auto sealed = seal.verify(); !sealed) return sealed;
    auto manifest = read_manifest(folder);
    if (!manifest) return manifest.error();
    if (auto there = check_log_is_there(folder, *manifest); !there) return there;
    const std::vector<fs::path> logs = logs_in_use(folder, *manifest);
    for (const fs::path& log : logs) {
        if (auto prepared = prepare_log_file(log, log == logs.back()); !prepared) return prepared;
    }
    if (auto prepared = prepare_log_file(folder / manifest->name, true); !prepared) return prepared;
    return seal.remove();
}

std::vector<std::string> check_store_files(const fs::path& folder) {
    if (is_new_store(folder)) return {};
    std::vector<std::string> lines;
    if (auto sealed = FolderSeal(folder).verify(); !sealed) lines.push_back(sealed.error().message);
    auto manifest = read_manifest(folder);
    if (!manifest) {
        if (lines.empty()) lines.push_back(manifest.error().message);
        return lines;
    }
    for (const auto& [number, table] : manifest->tables) {
        const fs::path file = folder / table_name(number);
        if (const std::string wrong = scan_table(file, table.size); !wrong.empty())
            lines.push_back(damaged_file(file, wrong).message);
    }
    const auto there = check_log_is_there(folder, *manifest);
    if (!there) lines.push_back(there.error().message);
    const std::vector<fs::path> logs = logs_in_use(folder, *manifest);
    for (const fs::path& log : logs) {
        auto scan = scan_file(log, log == logs.back());
        if (!scan) lines.push_back(scan.error().message);
    }
    return lines;
}

}  // namespace stele::kernel::storage
