#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/text_table.hpp>

namespace stele::archives {

/// Keys in the order in which they came, each once; more than a thousand lie in files without names
/// in the folder. One thread; failures are those of `sdk::TextTable`.
class KeptKeys {
public:
    explicit KeptKeys(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

    /// One that has not come before.
    sdk::Result<void> add(const sdk::RecordKey& key);
    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const sdk::RecordKey& key)>& visit) const;

private:
    std::filesystem::path scratch_;
    std::vector<sdk::RecordKey> first_;
    std::optional<sdk::TextTable> others_;
};

}  // namespace stele::archives
