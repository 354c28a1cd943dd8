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

TEST_CASE(
    "violations are a bounded number, and their paths and messages are cut between characters") {
    stele::sdk::Violations many(1500, {std::string(2000, 'x'), "field.missing", "is required"});
    many.front().path = std::string(1020, 'x') + "\u00e4\u00f6";
    many.front().message = std::string(100'000, 'y');
    const auto error = make_error(std::move(many));
    REQUIRE(error.violations.size() == 1000);
    CHECK(error.violations[0].path == std::string(1020, 'x') + "\u00e4\u00f6");
    CHECK(error.violations[0].message.size() == stele::sdk::kMaxViolationMessage);
    CHECK(error.violations[1].path == std::string(1021, 'x') + "\u2026");
    CHECK(stele::sdk::shown_path("\u00e4\u00f6\u00fc", 5) == "\u00e4\u2026");
    CHECK(error.message.size() < 6000);
}
