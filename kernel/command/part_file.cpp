#include "kernel/command/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace stele::kernel::command {

namespace {

sdk::Error part_unwritable(const std::filesystem::path& file) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "command.file_unwritable",
                           file.string() + " cannot be written: " + file::system_reason(errno));
}

/// What a former run left; an empty object for anything else.
sdk::Json state_in(const std::filesystem::path& tag) {
    std::ifstream stream(tag, std::ios::binary);
    auto state = sdk::parse_json(std::string(std::istreambuf_iterator<char>(stream), {}));
    return state && state->is_object() ? *state : sdk::Json::object();
}

sdk::Result<void> write_fully(int descriptor, std::string_view bytes,
                              const std::filesystem::path& file) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return part_unwritable(file);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace

PartFile::PartFile(std::filesystem::path file)
    : file_(std::move(file)),
      part_(file_.string() + ".part"),
      tag_(part_.string() + ".tag"),
      state_(sdk::Json::object()) {}

PartFile::~PartFile() {
    const bool is_owned = is_locked_ && size_ == 0 && state_.empty();
    if (is_owned) ::unlink(part_.c_str());
}

sdk::Result<void> PartFile::open() {
    if (std::filesystem::exists(file_)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "command.file_exists",
                               file_.string() + " is there already");
    }
    opened_ = file::PosixFile(part_, O_RDWR | O_CREAT | O_APPEND);
    struct stat found {};
    if (!opened_.is_open() || ::fstat(opened_.descriptor(), &found) != 0)
        return part_unwritable(part_);
    if (::flock(opened_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
        return sdk::make_error(sdk::ErrorKind::conflict, "command.file_in_use",
                               "another command is writing " + part_.string());
    }
    is_locked_ = true;
    size_ = static_cast<std::uint64_t>(found.st_size);
    state_ = state_in(tag_);
    // Nobody knows what it is a part of.
    if (state_.empty() && size_ > 0) return empty();
    return {};
}

sdk::Result<void> PartFile::keep_state(sdk::Json state) {
    const std::filesystem::path fresh = tag_.string() + ".new";
    const file::PosixFile written(fresh, O_WRONLY | O_CREAT | O_TRUNC);
    if (!written.is_open()) return part_unwritable(fresh);
    if (auto done = write_fully(written.descriptor(), sdk::dump_json(state), fresh); !done)
        return done;
    if (::rename(fresh.c_str(), tag_.c_str()) != 0) return part_unwritable(tag_);
    state_ = std::move(state);
    return {};
}

sdk::Result<void> PartFile::write(std::string_view bytes) {
    if (auto written = write_fully(opened_.descriptor(), bytes, part_); !written) return written;
    size_ += bytes.size();
    return {};
}

sdk::Result<void> PartFile::empty() {
    if (::ftruncate(opened_.descriptor(), 0) != 0) return part_unwritable(part_);
    size_ = 0;
    return {};
}

sdk::Result<void> PartFile::forget() {
    state_ = sdk::Json::object();
    if (::unlink(tag_.c_str()) != 0 && errno != ENOENT) return part_unwritable(tag_);
    return empty();
}

sdk::Result<void> PartFile::finish() {
    const bool is_safe = ::fsync(opened_.descriptor()) == 0 &&
                         ::rename(part_.c_str(), file_.c_str()) == 0 &&
                         file::sync_folder(std::filesystem::absolute(file_).parent_path());
    if (!is_safe) return part_unwritable(file_);
    is_locked_ = false;
    if (::unlink(tag_.c_str()) != 0 && errno != ENOENT) return part_unwritable(tag_);
    return {};
}

}  // namespace stele::kernel::command
