#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/text_lists.hpp>
#include <stele/sdk/text_table.hpp>

/// What is remembered of the paths of an archive, most of it in files without names: there may be
/// millions. One thread; failures are those of `sdk::TextTable`.
namespace stele::archives {

/// Names in the order in which they came, and the place of each.
class PathList {
public:
    explicit PathList(const std::filesystem::path& scratch) : places_(scratch), names_(scratch) {}

    /// Does nothing where it is there already; answers whether it was not.
    sdk::Result<bool> add(std::string_view name);
    /// The first has 0; nothing where it is not there.
    sdk::Result<std::optional<std::uint64_t>> place_of(std::string_view name) const;
    /// Of one that is there; anything else is a logic error.
    sdk::Result<std::string> at(std::uint64_t place) const;
    std::uint64_t size() const { return places_.size(); }

private:
    sdk::TextTable places_;
    sdk::TextTable names_;
};

/// Paths of files by the folders that they belong to.
class PathsByFolder {
public:
    explicit PathsByFolder(const std::filesystem::path& scratch) : paths_(scratch) {}

    sdk::Result<void> add(std::string_view folder, std::string_view path) {
        return paths_.add(folder, path);
    }
    /// In the order in which they came. `too_large` (`archives.transfer_too_large`) of a folder
    /// with more than 100,000.
    sdk::Result<std::vector<std::string>> in(std::string_view folder) const;

private:
    sdk::TextLists paths_;
};

/// A number as a text of eight bytes, for the values of tables, and back.
std::string number_text(std::uint64_t number);
std::uint64_t number_of_text(std::string_view text);

}  // namespace stele::archives
