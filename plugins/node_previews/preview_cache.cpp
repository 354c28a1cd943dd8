#include "preview_cache.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>

namespace stele::node_previews {

namespace {

namespace fs = std::filesystem;

/// A source may have failed because the machine was busy, or bounds may have grown since.
constexpr auto kRefusalLife = std::chrono::minutes(10);
constexpr mode_t kOthers = 077;
constexpr mode_t kOwnerOnly = 0700;
constexpr char kNewFile[] = ".new-XXXXXX";
/// The state and the number of bytes that follow, so that a file that a crash cut short is seen.
constexpr std::size_t kHeaderSize = 17;

std::string header_of(const Preview& preview) {
    return fmt::format("{}{:016x}", static_cast<char>(preview.state), preview.bytes.size());
}

bool is_state(char state) {
    return std::string_view("RBLX").find(state) != std::string_view::npos;
}

struct KeptFile {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t size = 0;
};

std::vector<KeptFile> kept_files(const fs::path& folder) {
    std::vector<KeptFile> files;
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem)) {
        std::error_code gone;
        const auto used = at->last_write_time(gone);
        const auto size = gone ? 0 : at->file_size(gone);
        if (!gone) files.push_back({at->path(), used, size});
    }
    std::sort(files.begin(), files.end(),
              [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
    return files;
}

}  // namespace

sdk::Error folder_unusable(const std::string& what) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "node_previews.folder_unusable",
                           "the folder of previews cannot be used",
                           fmt::format("{}: {}", what, std::strerror(errno)));
}

sdk::Result<std::string> read_file(const Descriptor& file, std::uint64_t limit) {
    std::string bytes;
    std::string piece(std::size_t{64} * 1024, '\0');
    while (bytes.size() < limit) {
        const ssize_t count =
            ::pread(file.number(), piece.data(), piece.size(), static_cast<off_t>(bytes.size()));
        if (count < 0) return folder_unusable("read");
        if (count == 0) break;
        bytes.append(piece, 0, static_cast<std::size_t>(count));
    }
    return bytes;
}

sdk::Result<void> write_file(const Descriptor& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
        if (count < 0) return folder_unusable("write");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

sdk::Result<void> PreviewCache::prepare() const {
    std::error_code problem;
    fs::create_directories(folder_.parent_path(), problem);
    if (::mkdir(folder_.c_str(), kOwnerOnly) != 0 && errno != EEXIST)
        return folder_unusable(folder_.string());
    struct stat found {};
    if (::lstat(folder_.c_str(), &found) != 0) return folder_unusable(folder_.string());
    if (S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & kOthers) == 0)
        return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "node_previews.folder_unusable",
                           fmt::format("{} must be a folder that is this user's and that nobody "
                                       "else may enter (mode 0700)",
                                       folder_.string()));
}

PreviewPtr PreviewCache::find(const std::string& key) const {
    const fs::path path = folder_ / key;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    if (!file.is_open() || ::fstat(file.number(), &found) != 0) return nullptr;
    auto bytes = read_file(file, bounds_.bytes);
    if (!bytes || bytes->size() < kHeaderSize || !is_state(bytes->front())) return nullptr;
    auto preview = std::make_shared<Preview>();
    preview->state = static_cast<PreviewState>(bytes->front());
    preview->bytes = bytes->substr(kHeaderSize);
    if (bytes->substr(0, kHeaderSize) != header_of(*preview)) return nullptr;
    if (preview->state == PreviewState::ready) {
        // Now is when it was used.
        ::futimens(file.number(), nullptr);
        return preview;
    }
    const auto made = std::chrono::system_clock::from_time_t(found.st_mtime);
    return std::chrono::system_clock::now() - made < kRefusalLife ? preview : nullptr;
}

void PreviewCache::keep(const std::string& key, const Preview& preview) {
    if (auto kept = write(key, preview); !kept) {
        sdk::log(sdk::LogLevel::warning, "node_previews",
                 "a preview was not kept: " + kept.error().detail);
    }
    const std::lock_guard lock(trimming_);
    trim();
}

sdk::Result<void> PreviewCache::write(const std::string& key, const Preview& preview) const {
    std::string name = (folder_ / kNewFile).string();
    const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (!file.is_open()) return folder_unusable(name);
    auto written = write_file(file, header_of(preview) + preview.bytes);
    if (written && ::rename(name.c_str(), (folder_ / key).c_str()) == 0) return {};
    const sdk::Error failure = written ? folder_unusable(key) : written.error();
    ::unlink(name.c_str());
    return failure;
}

void PreviewCache::trim() const {
    const std::vector<KeptFile> files = kept_files(folder_);
    std::uint64_t bytes = 0;
    for (const KeptFile& file : files)
        bytes += file.size;
    std::size_t count = files.size();
    for (const KeptFile& file : files) {
        if (bytes <= bounds_.bytes && count <= bounds_.files) return;
        std::error_code problem;
        fs::remove(file.path, problem);
        if (problem) {
            sdk::log(sdk::LogLevel::warning, "node_previews",
                     "a kept preview cannot be removed: " + problem.message());
        }
        bytes -= file.size;
        --count;
    }
}

sdk::Result<Descriptor> PreviewCache::open_nameless() const {
    if (auto prepared = prepare(); !prepared) return prepared.error();
    std::string name = (folder_ / kNewFile).string();
    Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (!file.is_open() || ::unlink(name.c_str()) != 0) return folder_unusable(name);
    return file;
}

}  // namespace stele::node_previews
