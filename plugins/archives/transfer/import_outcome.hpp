#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::archives {

/// What an import or a copy has made.
struct ImportOutcome {
    /// `{sources, targets}` of each subject, chains from the platform down.
    sdk::Json imports;
    std::uint64_t created = 0;
    std::uint64_t updated = 0;
    /// Equal to what was there, or not to be written.
    std::uint64_t skipped = 0;
    /// Records that have the secrets of the archive.
    std::uint64_t secrets = 0;
    /// Sentences for people. At most 200.
    std::vector<std::string> notes;

    ImportOutcome();
    void note(std::string text);
};

}  // namespace stele::archives
