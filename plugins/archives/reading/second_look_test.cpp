// What becomes of work that meets records whose binaries are not there.
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/error.hpp>

#include "reading/second_look.hpp"

namespace stele::archives {

namespace {

sdk::Result<void> gone() {
    return sdk::make_error(sdk::ErrorKind::not_found, "blob.unknown", "a.txt of node 1: none",
                           "abc");
}
sdk::Result<void> refused() {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown", "no such record");
}

/// Does one after the other; answers how often it was begun, too.
std::pair<sdk::Result<void>, std::size_t> look(const std::vector<sdk::Result<void>>& outcomes) {
    std::size_t begun = 0;
    auto done = look_twice([&] { return outcomes.at(begun++); });
    return {done, begun};
}

}  // namespace

TEST_CASE("what meets a binary that is gone is begun anew once") {
    const auto [done, begun] = look({gone(), {}});
    CHECK(done.has_value());
    CHECK(begun == 2);
}

TEST_CASE("a binary that is still gone is damage, told with what it is of") {
    const auto [done, begun] = look({gone(), gone()});
    REQUIRE(done.has_error());
    CHECK(begun == 2);
    CHECK(done.error().code == "store.damaged");
    CHECK(done.error().kind == sdk::ErrorKind::internal);
    CHECK(done.error().message == "a.txt of node 1: none");
    CHECK(done.error().detail == "abc");
}

TEST_CASE("what ends otherwise is not begun anew") {
    CHECK(look({{}}).second == 1);
    const auto [done, begun] = look({refused()});
    CHECK(begun == 1);
    CHECK(done.error().code == "document.unknown");
    CHECK(look({gone(), refused()}).first.error().code == "document.unknown");
}

}  // namespace stele::archives
