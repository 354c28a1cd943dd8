#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::archives {

/// What an import or a copy has made.
struct ImportOutcome {
    /// `{sources, targets}` of each subject, chains from the platform down.
    sdk::Json imports;
    std::uint64_t created = 0;
    std::uint64_t updated = 0;
    /// Equal to what was there, or not to be written.
    std::uint64_t skipped = 0;
    /// Of a dry run: what was refused, and `{key, code, message}` of each, the first 200.
    std::uint64_t refused = 0;
    sdk::Json refusals;
    /// Records that have the secrets of the archive.
    std::uint64_t secrets = 0;
    /// Sentences for people. At most 200.
    std::vector<std::string> notes;

    ImportOutcome();
    void note(std::string text);
    void refuse(const std::string& key, const sdk::Error& error);
    /// Whether it was refused, by its key in the source or by its id: what names it is no refusal
    /// of its own. Where more were refused than are told, everything may have been.
    bool is_refused(const std::string& name) const;
    /// Before something that is no content of a branch is written: all of it is one transaction,
    /// which is held in memory. `too_large` (`archives.transfer_too_large`) beyond 200,000, and
    /// beyond 256 MiB of JSON.
    sdk::Result<void> count_write(const sdk::Json& says = {});

private:
    /// Keys and ids.
    std::set<std::string, std::less<>> refused_names_;
    std::uint64_t writes_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace stele::archives
