#include "kernel/resource/registry/plugin_setting.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::resource {

namespace {

/// What a plugin reads where the configuration file holds a line.
sdk::Result<std::string> read_with(const std::string& line, const sdk::Setting& setting) {
    config::Settings settings;
    REQUIRE(settings.read_text(line, "stele.conf").has_value());
    return read_plugin_setting(settings, "mill", setting);
}

sdk::Setting with_kind(sdk::SettingKind kind, const char* default_value) {
    sdk::Setting setting{"wheel", default_value, "A wheel"};
    setting.kind = kind;
    setting.least = 2;
    setting.most = 2048;
    return setting;
}

void check_refused(const std::string& line, const sdk::Setting& setting, const char* problem) {
    INFO(line);
    const auto refused = read_with(line, setting);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "config.value_invalid");
    CHECK_THAT(refused.error().message, Catch::Contains("stele.conf:1"));
    CHECK_THAT(refused.error().message, Catch::Contains("mill.wheel"));
    CHECK_THAT(refused.error().message, Catch::Contains(problem));
}

}  // namespace

TEST_CASE("a plugin's number has bounds, which are allowed themselves") {
    const sdk::Setting number = with_kind(sdk::SettingKind::number, "7");
    CHECK(read_with("", number).value() == "7");
    CHECK(read_with("mill.wheel = 2", number).value() == "2");
    CHECK(read_with("mill.wheel = 2048", number).value() == "2048");
    check_refused("mill.wheel = 1", number, "at least 2");
    check_refused("mill.wheel = 2049", number, "at most 2048");
    check_refused("mill.wheel = 3s", number, "a whole number");
    check_refused("mill.wheel =", number, "a whole number");
}

TEST_CASE("a plugin's size may have a unit and comes as a number of bytes") {
    const sdk::Setting size = with_kind(sdk::SettingKind::bytes, "1024");
    CHECK(read_with("", size).value() == "1024");
    CHECK(read_with("mill.wheel = 2KiB", size).value() == "2048");
    CHECK(read_with("mill.wheel = 512", size).value() == "512");
    check_refused("mill.wheel = 3KiB", size, "at most 2048");
    check_refused("mill.wheel = 1B", size, "at least 2");
    check_refused("mill.wheel = 2 wheels", size, "a size");
}

TEST_CASE("a plugin's flag and its words are among those that there are") {
    const sdk::Setting flag = with_kind(sdk::SettingKind::flag, "false");
    CHECK(read_with("mill.wheel = true", flag).value() == "true");
    check_refused("mill.wheel = yes", flag, "true or false");
    sdk::Setting word = with_kind(sdk::SettingKind::text, "slow");
    CHECK(read_with("mill.wheel = any", word).value() == "any");
    word.one_of = {"slow", "fast"};
    CHECK(read_with("mill.wheel = fast", word).value() == "fast");
    check_refused("mill.wheel = any", word, "one of slow, fast");
}

}  // namespace stele::kernel::resource
