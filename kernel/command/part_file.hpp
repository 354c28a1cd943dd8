#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::command {

/// A file that may come over several runs of a command: `FILE.part` until it is whole and on disk,
/// and `FILE.part.tag` beside it, a JSON object that says what it is a part of. One command at a
/// time. Failures are `command.file_exists`, `command.file_unwritable`, `command.file_in_use`.
class PartFile {
public:
    explicit PartFile(std::filesystem::path file);
    /// Leaves no part that holds and says nothing.
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    /// Refuses where the whole file is there already. What a former run left is kept.
    sdk::Result<void> open();
    /// What the last `keep_state` of any run said; an empty object when there is none.
    const sdk::Json& state() const { return state_; }
    sdk::Result<void> keep_state(sdk::Json state);

    std::uint64_t size() const { return size_; }
    sdk::Result<void> write(std::string_view bytes);
    /// Throws away what came so far, the state too.
    sdk::Result<void> forget();
    /// Throws away the bytes alone.
    sdk::Result<void> empty();
    /// Gives the file its name.
    sdk::Result<void> finish();

    const std::filesystem::path& path() const { return file_; }
    const std::filesystem::path& part() const { return part_; }

private:
    std::filesystem::path file_;
    std::filesystem::path part_;
    std::filesystem::path tag_;
    file::PosixFile opened_;
    bool is_locked_ = false;  ///< and not yet the whole file
    std::uint64_t size_ = 0;
    sdk::Json state_;
};

}  // namespace stele::kernel::command
