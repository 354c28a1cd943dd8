// Arbitrary bytes as an archive. However they come, everything in it is the same or fails the same
// way, with an error of archives; nothing is more than the limits, and what is found by its path is
// what the directory has.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele;
using stele::testing::fuzz_check;

constexpr sdk::ZipLimits kLimits{
    .entries = 100, .expansion = 100, .least_bytes = 1U << 16U, .most_bytes = 1U << 20U};
/// A record of the directory with the longest name, extra field and comment.
constexpr std::size_t kLongestRecord = 46 + 3 * 65'535;

/// The bytes of a file, then the code with which reading ended.
std::string told_of(const sdk::ZipReader& reader, const sdk::ZipEntry& entry) {
    const sdk::PieceSource source = reader.read(entry);
    std::string told;
    std::string piece;
    do {
        if (auto read = source(piece); !read) {
            fuzz_check(read.error().code.starts_with("zip."));
            return read.error().code;
        }
        told += piece;
    } while (!piece.empty());
    fuzz_check(told.size() == entry.size);
    return told;
}

/// All that a reader tells, in one text.
std::string told_of(std::string_view archive, std::size_t piece_size) {
    sdk::testing::MemoryBytes bytes(std::string(archive), piece_size);
    auto reader = sdk::ZipReader::open(bytes, kLimits);
    if (!reader) {
        fuzz_check(reader.error().code.starts_with("zip."));
        return reader.error().code + reader.error().message;
    }
    std::string told;
    std::uint64_t count = 0;
    auto visited = reader->for_each([&](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
        ++count;
        told += '\n' + entry.path + '\n' + told_of(*reader, entry);
        const auto found = reader->find(entry.path);
        fuzz_check(found.has_value() && found->has_value() && (*found)->offset == entry.offset &&
                   (*found)->limit == entry.limit);
        return true;
    });
    fuzz_check(visited.has_value() && count == reader->entry_count() && count <= kLimits.entries);
    fuzz_check(bytes.largest() <= kLongestRecord);
    return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view archive(reinterpret_cast<const char*>(data), size);
    const std::string whole = told_of(archive, size + 1);
    for (const std::size_t piece : {7, 100})
        fuzz_check(told_of(archive, piece) == whole);
    return 0;
}
