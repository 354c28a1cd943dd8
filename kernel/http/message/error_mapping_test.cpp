#include "kernel/http/message/error_mapping.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/http/message/message_rules.hpp"

namespace stele::kernel::http {

namespace {

using sdk::ErrorKind;

sdk::Json body_of(const Response& response) {
    return sdk::Json::parse(response.body);
}

std::string header_of(const Response& response, std::string_view name) {
    const std::string* value = find_header(response, name);
    return value ? *value : "(none)";
}

}  // namespace

TEST_CASE("every kind of error has the status that the specification gives it") {
    const std::vector<std::pair<ErrorKind, int>> expected{{ErrorKind::invalid, 400},
                                                          {ErrorKind::unauthenticated, 401},
                                                          {ErrorKind::forbidden, 403},
                                                          {ErrorKind::not_found, 404},
                                                          {ErrorKind::method_unknown, 405},
                                                          {ErrorKind::conflict, 409},
                                                          {ErrorKind::precondition_failed, 412},
                                                          {ErrorKind::too_large, 413},
                                                          {ErrorKind::unsupported, 415},
                                                          {ErrorKind::locked, 423},
                                                          {ErrorKind::limited, 429},
                                                          {ErrorKind::internal, 500},
                                                          {ErrorKind::unimplemented, 501},
                                                          {ErrorKind::unavailable, 503},
                                                          {ErrorKind::timed_out, 503},
                                                          {ErrorKind::storage_full, 507}};
    for (const auto& [kind, status] : expected) {
        CHECK(status_of(kind) == status);
        CHECK(error_response(sdk::make_error(kind, "a.b", "m"), "id").status == status);
    }
}

TEST_CASE("no reason phrase is empty") {
    for (int status = 100; status < 600; ++status)
        CHECK_FALSE(reason_of(status).empty());
    CHECK(reason_of(404) == "Not Found");
}

TEST_CASE("an error body has the shape that every client reads") {
    const Response response = error_response(
        sdk::make_error(ErrorKind::not_found, "records.record_unknown", "no \"such\" record"),
        "0123456789abcdef0123");
    CHECK(response.content_type == "application/json;charset=UTF-8");
    CHECK(body_of(response) == sdk::Json{{"ok", false},
                                         {"error", true},
                                         {"message", "no \"such\" record"},
                                         {"code", "records.record_unknown"},
                                         {"status", 404},
                                         {"requestId", "0123456789abcdef0123"}});
}

TEST_CASE("violations are listed with path, code and message") {
    const Response response =
        error_response(sdk::make_error({{"skip", "request.parameter_invalid", "is no number"},
                                        {"limit", "request.parameter_invalid", "is negative"}}),
                       "id");
    const sdk::Json violations = body_of(response)["violations"];
    REQUIRE(violations.size() == 2);
    CHECK(violations[1] == sdk::Json{{"path", "limit"},
                                     {"code", "request.parameter_invalid"},
                                     {"message", "is negative"}});
}

TEST_CASE("a protocol's error value is said in the body and in the challenge") {
    sdk::Error error = sdk::make_error(ErrorKind::unauthenticated, "auth.token_unknown", "expired");
    error.protocol_error = "invalid_token";
    Response response = error_response(error, "id");
    CHECK(body_of(response)["error"] == "invalid_token");
    CHECK(body_of(response)["error_description"] == "expired");
    CHECK(header_of(response, "WWW-Authenticate") ==
          "Bearer realm=\"stele\", error=\"invalid_token\"");
    error.protocol_error.clear();
    response = error_response(error, "id");
    CHECK(body_of(response)["error"] == true);
    CHECK(header_of(response, "WWW-Authenticate") == "Bearer realm=\"stele\"");
}

TEST_CASE("a retry time and the present ETag become headers") {
    sdk::Error error = sdk::make_error(ErrorKind::limited, "a.b", "slow down");
    CHECK(header_of(error_response(error, "id"), "Retry-After") == "(none)");
    error.retry_after_seconds = 7;
    CHECK(header_of(error_response(error, "id"), "Retry-After") == "7");
    error = sdk::make_error(ErrorKind::precondition_failed, "a.b", "changed");
    error.present_etag = "\"v2\"";
    CHECK(header_of(error_response(error, "id"), "ETag") == "\"v2\"");
}

TEST_CASE("detail never reaches the caller and a message is never empty") {
    const Response response =
        error_response(sdk::make_error(ErrorKind::internal, "a.b", "", "secret path"), "id");
    CHECK(response.body.find("secret") == std::string::npos);
    CHECK(body_of(response)["message"] == "Internal Server Error");
}

}  // namespace stele::kernel::http
