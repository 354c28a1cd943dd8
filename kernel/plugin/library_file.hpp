#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::plugin {

/// A shared library read as plain bytes: nothing of it is loaded, relocated or run. Every offset in
/// the file is checked against its end, so a truncated or hostile file is refused, never followed
/// outside of the mapping. Reads what the dynamic loader reads (program headers, dynamic section,
/// hash table), so both find the same symbol.
class LibraryFile {
public:
    /// Fails with `plugin.file_unreadable`, `plugin.manifest_missing` when it is no shared library,
    /// or `plugin.build_mismatch` when it is one of another machine.
    static sdk::Result<LibraryFile> open(const std::filesystem::path& file);

    LibraryFile(LibraryFile&& other) noexcept;
    LibraryFile& operator=(LibraryFile&&) = delete;
    ~LibraryFile();

    /// The initial bytes of an exported object, as far as they lie in the file.
    std::optional<std::span<const char>> object(std::string_view symbol) const;

    /// Names of everything that the library exports.
    std::vector<std::string> exported() const;

private:
    struct Segment {
        std::uint64_t address;
        std::uint64_t offset;
        std::uint64_t size;
    };
    struct Symbol {
        std::string_view name;
        std::uint64_t address;
        std::uint64_t size;
        bool is_exported;
        bool is_object;
    };

    explicit LibraryFile(std::span<const char> bytes) : bytes_(bytes) {}

    sdk::Result<void> read_headers(const std::string& file);
    bool read_segments(std::uint64_t offset, unsigned count, unsigned entry_size);
    bool read_dynamic(std::uint64_t offset, std::uint64_t size);
    std::uint32_t count_symbols() const;
    std::optional<Symbol> symbol(std::uint32_t index) const;
    std::string_view text(std::uint64_t string_offset) const;
    /// The bytes of the file that are loaded at an address.
    std::span<const char> at_address(std::uint64_t address) const;
    template <class T>
    std::optional<T> read(std::uint64_t offset) const;
    template <class T>
    std::optional<T> read_at_address(std::uint64_t address, std::uint64_t index = 0) const;

    std::span<const char> bytes_;
    std::vector<Segment> segments_;
    std::uint64_t symbols_address_ = 0;
    std::uint64_t texts_address_ = 0;
    std::uint64_t texts_size_ = 0;
    std::uint64_t gnu_hash_address_ = 0;
    std::uint64_t hash_address_ = 0;
};

}  // namespace stele::kernel::plugin
