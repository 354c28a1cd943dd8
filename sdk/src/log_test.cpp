#include <stele/sdk/log.hpp>

#include <catch2/catch.hpp>

#include <stele/sdk/detail/log_output.hpp>

using stele::sdk::is_logged;
using stele::sdk::LogLevel;
using stele::sdk::detail::log_text;
using stele::sdk::detail::set_log_level;

TEST_CASE("No message can forge a line of the log") {
    CHECK(log_text("http", "a\nb\r\x1b[31m\x7f ä") == "[http] a\\nb\\x0d\\x1b[31m\\x7f ä");
    CHECK(log_text("x\ny", std::string_view("\0", 1)) == "[x\\ny] \\x00");
}

TEST_CASE("Lines below the level are not written") {
    set_log_level(LogLevel::warning);
    CHECK_FALSE(is_logged(LogLevel::debug));
    CHECK_FALSE(is_logged(LogLevel::info));
    CHECK(is_logged(LogLevel::warning));
    CHECK(is_logged(LogLevel::error));
    set_log_level(LogLevel::info);
    CHECK(is_logged(LogLevel::info));
}

TEST_CASE("Levels are found by name") {
    CHECK(stele::sdk::detail::find_log_level("debug") == LogLevel::debug);
    CHECK(stele::sdk::detail::find_log_level("warning") == LogLevel::warning);
    CHECK_FALSE(stele::sdk::detail::find_log_level("loud").has_value());
}
