#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>

#include "sdk/testing/temporary_folder.hpp"

namespace stele::testing {

/// A disk in memory, for who may mount one.
class SmallDisk {
public:
    explicit SmallDisk(const std::string& size = "48m")
        : is_mounted_(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0,
                              ("size=" + size).c_str()) == 0) {}
    ~SmallDisk() {
        if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool is_mounted() const { return is_mounted_; }
    const std::filesystem::path& path() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
    bool is_mounted_;
};

}  // namespace stele::testing
