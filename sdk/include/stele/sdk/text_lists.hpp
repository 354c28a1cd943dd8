#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include <stele/sdk/text_table.hpp>

namespace stele::sdk {

/// Lists of texts by texts, over a `TextTable`, whose promises and failures hold. One thread.
class TextLists {
public:
    explicit TextLists(std::filesystem::path folder = {}) : table_(std::move(folder)) {}

    /// Behind what the key has already.
    Result<void> add(std::string_view key, std::string_view text);
    /// How many a key has.
    Result<std::uint64_t> count(std::string_view key) const;
    /// Those of a key in the order in which they came, until `visit` answers false.
    Result<void> for_each(std::string_view key,
                          const std::function<Result<bool>(std::string_view text)>& visit) const;

private:
    /// By a number and a key: texts, the first at 1; at 0 how many there are.
    TextTable table_;
};

}  // namespace stele::sdk
