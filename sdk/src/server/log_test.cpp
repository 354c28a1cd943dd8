#include <stele/sdk/log.hpp>

#include <catch2/catch.hpp>

#include <stele/sdk/detail/log_output.hpp>
#include <stele/sdk/kept_log.hpp>

using stele::sdk::is_logged;
using stele::sdk::LogLevel;
using stele::sdk::detail::log_text;
using stele::sdk::detail::set_log_level;

TEST_CASE("no message can forge a line of the log") {
    CHECK(log_text("http", "a\nb\r\x1b[31m\x7f ä") == "[http] a\\nb\\x0d\\x1b[31m\\x7f ä");
    CHECK(log_text("x\ny", std::string_view("\0", 1)) == "[x\\ny] \\x00");
}

TEST_CASE("lines below the level are not written") {
    set_log_level(LogLevel::warning);
    CHECK_FALSE(is_logged(LogLevel::debug));
    CHECK_FALSE(is_logged(LogLevel::info));
    CHECK(is_logged(LogLevel::warning));
    CHECK(is_logged(LogLevel::error));
    set_log_level(LogLevel::info);
    CHECK(is_logged(LogLevel::info));
}

TEST_CASE("levels are found by name") {
    CHECK(stele::sdk::detail::find_log_level("debug") == LogLevel::debug);
    CHECK(stele::sdk::detail::find_log_level("warning") == LogLevel::warning);
    CHECK_FALSE(stele::sdk::detail::find_log_level("loud").has_value());
}

TEST_CASE("the last lines are kept, those below the level are not") {
    stele::sdk::detail::keep_log_lines(2);
    stele::sdk::log(LogLevel::info, "test", "one");
    stele::sdk::log(LogLevel::debug, "test", "two");
    stele::sdk::log(LogLevel::warning, "test", std::string(5000, 'x'));
    stele::sdk::log_as("known", LogLevel::error, "test", "four\nfive");
    const auto lines = stele::sdk::kept_log_lines();
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].message.size() == 4000);
    CHECK(lines[1].id == "known");
    CHECK(lines[1].level == LogLevel::error);
    CHECK(stele::sdk::log_file_line(lines[1]).ends_with("Z error [test] four\\nfive"));
    stele::sdk::detail::keep_log_lines(0);
    CHECK(stele::sdk::kept_log_lines().empty());
}
