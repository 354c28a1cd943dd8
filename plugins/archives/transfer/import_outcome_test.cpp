#include "transfer/import_outcome.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

TEST_CASE("one import writes so many things beside content and no more") {
    ImportOutcome outcome;
    int written = 0;
    while (written < 300'000 && outcome.count_write().has_value())
        ++written;
    CHECK(written == 200'000);
    const auto refused = outcome.count_write();
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "archives.transfer_too_large");
    CHECK(refused.error().kind == sdk::ErrorKind::too_large);
}

TEST_CASE("one import writes so many bytes beside content and no more") {
    ImportOutcome outcome;
    const sdk::Json mebibyte = {{"text", std::string((std::size_t{1} << 20) - 11, 'x')}};
    for (int i = 0; i < 256; ++i)
        REQUIRE(outcome.count_write(mebibyte).has_value());
    CHECK(outcome.count_write().has_value());
    const auto refused = outcome.count_write({{"one", "more"}});
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "archives.transfer_too_large");
    CHECK(refused.error().kind == sdk::ErrorKind::too_large);
}

}  // namespace stele::archives
