#include "kernel/instance/blob_owner.hpp"

#include <fstream>

#include <stele/sdk/log.hpp>

namespace stele::kernel::instance {

bool has_binaries_of_a_store(const std::filesystem::path& data) {
    std::error_code problem;
    return std::filesystem::exists(data / kBinariesOwner, problem);
}

bool owns_binaries(const std::filesystem::path& data, const std::string& store_id) {
    const std::filesystem::path file = data / kBinariesOwner;
    std::error_code problem;
    if (!std::filesystem::exists(file, problem) && !problem) {
        std::ofstream(file) << store_id << '\n';
    }
    std::string owner;
    std::getline(std::ifstream(file), owner);
    if (owner == store_id) return true;
    sdk::log(sdk::LogLevel::warning, "http",
             "the binaries in " + data.string() + " belong to another store, as " + file.string() +
                 " says; unused ones are removed after a week only, however full the disk is");
    return false;
}

}  // namespace stele::kernel::instance
