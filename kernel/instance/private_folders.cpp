#include "kernel/instance/private_folders.hpp"

#include <array>
#include <system_error>

#include <stele/sdk/log.hpp>

namespace stele::kernel::instance {

namespace {

namespace fs = std::filesystem;

constexpr std::array kOwnFolders{"store", "blobs", "uploads", "search"};
constexpr fs::perms kOfOthers = fs::perms::group_all | fs::perms::others_all;

bool is_open_to_others(const fs::path& folder) {
    std::error_code problem;
    const fs::file_status found = fs::status(folder, problem);
    return !problem && fs::is_directory(found) &&
           (found.permissions() & kOfOthers) != fs::perms::none;
}

}  // namespace

void keep_private(const fs::path& data) {
    for (const char* const name : kOwnFolders) {
        const fs::path folder = data / name;
        if (!is_open_to_others(folder)) continue;
        std::error_code problem;
        fs::permissions(folder, kOfOthers, fs::perm_options::remove, problem);
        if (problem) {
            sdk::log(sdk::LogLevel::warning, "http",
                     folder.string() +
                         " can be read by others, and not be closed to them: " + problem.message());
        }
    }
    if (is_open_to_others(data)) {
        sdk::log(sdk::LogLevel::warning, "http",
                 data.string() + " can be read by others; chmod 700 closes it to them");
    }
}

}  // namespace stele::kernel::instance
