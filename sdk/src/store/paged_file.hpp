#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/unnamed_file.hpp>

namespace stele::sdk {

/// Pages of bytes of which so many are in memory; what has no place there goes to a file without a
/// name, which is made when it is needed. One thread. Failures are those of `UnnamedFile`.
class PagedFile {
public:
    static constexpr std::size_t kPageBytes = 4096;

    /// An empty folder: all pages stay in memory.
    PagedFile(std::filesystem::path folder, std::size_t most_pages);

    /// A page that nobody has written is zeros. The bytes are there until the next call of any
    /// function.
    Result<const char*> page(std::uint64_t number);
    /// The same, of a page that is about to be changed.
    Result<char*> changed_page(std::uint64_t number);

    /// Any bytes, over the borders of pages.
    Result<void> write(std::uint64_t offset, std::string_view bytes);
    Result<void> read(std::uint64_t offset, std::size_t size, std::string& bytes);

private:
    struct Slot {
        std::uint64_t number = 0;
        bool is_changed = false;
        std::unique_ptr<char[]> bytes = nullptr;
    };

    Result<Slot*> slot_of(std::uint64_t number);
    Result<void> write_out(Slot& slot);
    Result<void> fill(Slot& slot, std::uint64_t number);

    std::filesystem::path folder_;
    std::size_t most_pages_;
    std::vector<Slot> slots_;
    std::optional<UnnamedFile> file_;
    std::string piece_;
};

}  // namespace stele::sdk
