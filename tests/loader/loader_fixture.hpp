#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <stdlib.h>

#include "sdk/testing/temporary_folder.hpp"

namespace stele::loader_test {

using testing::TemporaryFolder;

/// The library of a wrong plugin.
inline std::filesystem::path broken(const std::string& failure) {
    return std::filesystem::path(STELE_BROKEN_PLUGINS) / failure / (failure + ".so");
}

/// The library of the template, a sound plugin.
inline std::filesystem::path sound() {
    return STELE_TEMPLATE_PLUGIN;
}

inline std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

/// While it lives, code of a broken plugin that runs leaves a file behind.
class WitnessWatch final {
public:
    WitnessWatch() { ::setenv("STELE_LOADER_WITNESS", file().c_str(), 1); }
    WitnessWatch(const WitnessWatch&) = delete;
    WitnessWatch& operator=(const WitnessWatch&) = delete;
    ~WitnessWatch() { ::unsetenv("STELE_LOADER_WITNESS"); }

    bool has_run() const { return std::filesystem::exists(file()); }

private:
    std::filesystem::path file() const { return folder_.path() / "witness"; }

    TemporaryFolder folder_;
};

}  // namespace stele::loader_test
