#include <stele/sdk/unnamed_file.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "sdk/testing/temporary_folder.hpp"

namespace stele::sdk {

namespace {

/// Others have all of the disk while it lives.
class WholeDisk {
public:
    WholeDisk() { UnnamedFile::set_reserve(std::numeric_limits<std::uint64_t>::max()); }
    ~WholeDisk() { UnnamedFile::set_reserve(0); }
    WholeDisk(const WholeDisk&) = delete;
    WholeDisk& operator=(const WholeDisk&) = delete;
};

}  // namespace

TEST_CASE("a file without a name leaves the reserve to others, and keeps what it has") {
    const stele::testing::TemporaryFolder folder;
    auto file = UnnamedFile::open(folder.path());
    REQUIRE(file.has_value());
    const std::string piece(std::size_t{2} << 20, 'x');
    REQUIRE(file->append(piece).has_value());
    {
        const WholeDisk whole;
        const auto appended = file->append(piece);
        REQUIRE(appended.has_error());
        CHECK(appended.error().kind == ErrorKind::storage_full);
        CHECK(appended.error().code == "zip.disk_full");
        CHECK(file->write(0, piece).has_error());
    }
    std::string read;
    REQUIRE(file->read(0, read, piece.size()).has_value());
    CHECK(read == piece);
    CHECK(file->write(0, "y").has_value());
}

}  // namespace stele::sdk
