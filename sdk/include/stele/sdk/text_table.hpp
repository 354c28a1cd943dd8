#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Texts by texts, for work that meets more of them than memory should hold: some 1.3 MB of a table
/// are in memory, the rest lies in files without names, which end with it
/// (docs/decisions/0162-what-transfers-know-of-each-item.md). Found by keyed hashes (SipHash), so
/// nobody can make keys that meet. Keys and values have any bytes, fewer than 1 GiB each; more is a
/// logic error. One thread. Failures are those of `UnnamedFile`; after one nothing else is to be
/// asked of the table.
class TextTable {
public:
    /// `folder` exists when the first file is needed; an empty one: everything stays in memory.
    explicit TextTable(std::filesystem::path folder = {});
    ~TextTable();
    TextTable(TextTable&&) noexcept;
    TextTable& operator=(TextTable&&) noexcept;

    /// In the place of the former value, if there is one.
    Result<void> put(std::string_view key, std::string_view value);
    /// Nothing where there is none.
    Result<std::optional<std::string>> find(std::string_view key) const;
    Result<bool> contains(std::string_view key) const;
    /// Does nothing where there is none.
    Result<void> erase(std::string_view key);

    /// How many keys have a value.
    std::uint64_t size() const;
    /// In the order in which keys came; one whose value got another length comes last from then on.
    /// `visit` may change the table: what comes last then is still visited.
    Result<void> for_each(const std::function<Result<void>(std::string_view key,
                                                           std::string_view value)>& visit) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stele::sdk
