#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// What a store that was closed in good order leaves beside LevelDB's files: digests of those whose
/// end cannot be told from one that a crash cut off (logs, manifest, the file that names it).
class FolderSeal {
public:
    explicit FolderSeal(std::filesystem::path folder);

    /// After LevelDB has closed. Without room there is none.
    sdk::Result<void> write() const;
    /// `internal` (`store.damaged`) names the file that is not what it was. Says nothing of a store
    /// that was not closed in good order, or was opened by an older version since.
    sdk::Result<void> verify() const;
    /// Before LevelDB opens the folder.
    sdk::Result<void> remove() const;

private:
    sdk::Result<std::string> content() const;

    std::filesystem::path folder_;
    std::filesystem::path file_;
};

}  // namespace stele::kernel::storage
