#include "kernel/storage/backends/leveldb/folder_seal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <sstream>
#include <system_error>
#include <vector>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/seal.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/store_manifest.hpp"

namespace stele::kernel::storage {

namespace {

std::string digest_text(std::string_view bytes) {
    return sdk::hex_text(sdk::token_digest(bytes));
}

bool is_sealed(const std::string& name) {
    return name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".log");
}

sdk::Error seal_failed(const std::filesystem::path& file, int reason) {
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "engine.open_failed",
        file.string() + " cannot be written: " + file::system_reason(reason) + ".");
}

}  // namespace

FolderSeal::FolderSeal(std::filesystem::path folder)
    : folder_(std::move(folder)), file_(folder_ / "stele.seal") {}

/// A line for each file, the last one of those before it.
sdk::Result<std::string> FolderSeal::content() const {
    std::vector<std::string> lines;
    std::error_code problem;
    for (std::filesystem::directory_iterator entry(folder_, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        if (!is_sealed(name)) continue;
        auto bytes = read_store_file(entry->path());
        if (!bytes) return bytes.error();
        lines.push_back(name + ' ' + digest_text(*bytes) + '\n');
    }
    if (problem) return seal_failed(folder_, problem.value());
    // The manifest first.
    std::sort(lines.begin(), lines.end(), std::greater<>());
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text + "seal " + digest_text(text) + '\n';
}

sdk::Result<void> FolderSeal::write() const {
    // What somebody took away meanwhile is not sealed as if it had never been.
    auto manifest = read_manifest(folder_);
    if (!manifest) return manifest.error();
    if (auto there = check_log_is_there(folder_, *manifest); !there) return there;
    auto text = content();
    if (!text) return text.error();
    const std::filesystem::path part = file_.string() + ".part";
    {
        const file::PosixFile file(part, O_WRONLY | O_CREAT | O_TRUNC);
        const bool is_written = file.is_open() &&
                                ::write(file.descriptor(), text->data(), text->size()) ==
                                    static_cast<ssize_t>(text->size()) &&
                                ::fsync(file.descriptor()) == 0 &&
                                ::rename(part.c_str(), file_.c_str()) == 0;
        if (!is_written) {
            const int reason = errno;
            ::unlink(part.c_str());
            return seal_failed(file_, reason);
        }
    }
    return file::sync_folder(folder_) ? sdk::Result<void>() : seal_failed(file_, errno);
}

sdk::Result<void> FolderSeal::verify() const {
    std::error_code problem;
    if (!std::filesystem::exists(file_, problem)) return {};
    auto sealed = read_store_file(file_);
    if (!sealed) return sealed.error();
    const std::size_t last = sealed->rfind("seal ");
    const std::string_view lines = std::string_view(*sealed).substr(0, last);
    if (last == std::string::npos || sealed->substr(last) != "seal " + digest_text(lines) + '\n')
        return damaged_file(file_, "it is not what was written");
    std::istringstream stream{std::string(lines)};
    std::string name;
    std::string digest;
    while (stream >> name >> digest) {
        const std::filesystem::path file = folder_ / name;
        // An older version, which knows no seals, has opened the store since and removed it.
        if (name.starts_with("MANIFEST-") && !std::filesystem::exists(file, problem)) return {};
        auto bytes = read_store_file(file);
        if (!bytes) return bytes.error();
        if (digest_text(*bytes) != digest)
            return damaged_file(file, "it is not what it was when the store was closed");
    }
    return {};
}

sdk::Result<void> FolderSeal::remove() const {
    if (::unlink(file_.c_str()) != 0 && errno != ENOENT) return seal_failed(file_, errno);
    if (!file::sync_folder(folder_)) return seal_failed(folder_, errno);
    return {};
}

}  // namespace stele::kernel::storage
