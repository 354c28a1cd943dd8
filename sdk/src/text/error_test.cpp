#include <stele/sdk/error.hpp>

#include <catch2/catch.hpp>

using stele::sdk::ErrorKind;
using stele::sdk::make_error;

TEST_CASE("several problems make one invalid error that names the first") {
    const auto error = make_error({{"config.port", "field.type_wrong", "must be an integer"},
                                   {"host", "field.missing", "is required"}});
    CHECK(error.kind == ErrorKind::invalid);
    CHECK(error.code == "request.input_invalid");
    CHECK(error.message == "config.port: must be an integer");
    CHECK(error.violations.size() == 2);
}

TEST_CASE("an invalid parameter is named in message and violation") {
    const auto error = stele::sdk::invalid_parameter("skip", "must be a whole number");
    CHECK(error.kind == ErrorKind::invalid);
    CHECK(error.code == "request.parameter_invalid");
    CHECK(error.message == "'skip' must be a whole number");
    REQUIRE(error.violations.size() == 1);
    CHECK(error.violations[0].path == "skip");
}

TEST_CASE("an error's texts are code, message and detail") {
    const auto error = make_error(ErrorKind::timed_out, "smtp.server_silent", "public", "private");
    CHECK(error.kind == ErrorKind::timed_out);
    CHECK(error.code == "smtp.server_silent");
    CHECK(error.message == "public");
    CHECK(error.detail == "private");
}
