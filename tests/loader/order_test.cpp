#include <catch2/catch.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "loader_fixture.hpp"

namespace stele::loader_test {

using kernel::plugin::order;
using kernel::plugin::PluginFile;
using kernel::plugin::scan;

namespace {

PluginFile plugin(const std::string& id, std::vector<std::string> requirements = {},
                  const std::string& folder = "plugins") {
    return {folder + "/" + id + ".so", id, "1.0.0", "stable", std::move(requirements)};
}

std::vector<std::string> ids(const std::vector<PluginFile>& plugins) {
    std::vector<std::string> all;
    for (const PluginFile& each : plugins)
        all.push_back(each.id);
    return all;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("without requirements plugins are opened in the order of their ids") {
    const auto ordered = order({plugin("c"), plugin("a"), plugin("b")}, {});
    REQUIRE(ordered.has_value());
    CHECK(ids(*ordered) == Ids{"a", "b", "c"});
}

TEST_CASE("what a plugin requires is opened before it") {
    const auto ordered = order(
        {plugin("a", {"d"}), plugin("b"), plugin("c", {"a", "b"}), plugin("d", {"e"}), plugin("e")},
        {});
    REQUIRE(ordered.has_value());
    CHECK(ids(*ordered) == Ids{"b", "e", "d", "a", "c"});
}

TEST_CASE("only enabled plugins are opened") {
    const auto ordered = order({plugin("a"), plugin("b", {"nowhere"}), plugin("c")}, {"c", "a"});
    REQUIRE(ordered.has_value());
    CHECK(ids(*ordered) == Ids{"a", "c"});
}

TEST_CASE("an enabled plugin without a file is refused, and what was found is named") {
    const auto ordered = order({plugin("a"), plugin("b")}, {"a", "ghost"});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.unknown");
    CHECK_THAT(ordered.error().message, Catch::Contains("ghost") && Catch::Contains("found: a, b"));
}

TEST_CASE("a missing requirement is refused and told apart from one that is not enabled") {
    const auto absent = order({plugin("a", {"b"})}, {});
    REQUIRE_FALSE(absent.has_value());
    CHECK(absent.error().code == "plugin.requirement_missing");
    CHECK_THAT(absent.error().message, Catch::StartsWith("plugins/a.so: ") &&
                                           Catch::Contains("requires plugin b") &&
                                           Catch::EndsWith("was not found"));

    const auto disabled = order({plugin("a", {"b"}), plugin("b")}, {"a"});
    REQUIRE_FALSE(disabled.has_value());
    CHECK(disabled.error().code == "plugin.requirement_missing");
    CHECK_THAT(disabled.error().message, Catch::EndsWith("is not enabled"));
}

TEST_CASE("a circle of requirements is refused and spelled out") {
    const auto ordered =
        order({plugin("a"), plugin("b", {"a", "d"}), plugin("c", {"b"}), plugin("d", {"c"})}, {});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.requirement_cycle");
    CHECK_THAT(ordered.error().message, Catch::EndsWith("b requires d requires c requires b"));
}

TEST_CASE("a plugin that requires itself is refused") {
    const auto ordered = order({plugin("a", {"a"})}, {});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.requirement_cycle");
}

TEST_CASE("two files with one id are refused when the id is enabled") {
    const std::vector<PluginFile> found{plugin("a"), plugin("twin", {}, "first"),
                                        plugin("twin", {}, "second")};
    const auto ordered = order(found, {});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.id_duplicate");
    CHECK_THAT(ordered.error().message,
               Catch::Contains("first/twin.so") && Catch::Contains("second/twin.so"));
    CHECK(order(found, {"a"}).has_value());
}

TEST_CASE("twins in two real folders are refused") {
    const std::filesystem::path root(STELE_BROKEN_PLUGINS);
    const auto scanned = scan({root / "duplicate_id/first", root / "duplicate_id/second"});
    REQUIRE(scanned.plugins.size() == 2);
    const auto ordered = order(scanned, {});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.id_duplicate");
}

TEST_CASE("an enabled plugin whose file was refused fails with that refusal") {
    const std::filesystem::path root(STELE_BROKEN_PLUGINS);
    const auto scanned = scan({root / "wrong_sdk_version", root / "throws_in_open"});
    const auto ordered = order(scanned, {"wrong_sdk_version"});
    REQUIRE_FALSE(ordered.has_value());
    CHECK(ordered.error().code == "plugin.sdk_mismatch");
    const auto others = order(scanned, {});
    REQUIRE(others.has_value());
    CHECK(ids(*others) == Ids{"throws_in_open"});
}

TEST_CASE("a plugin that is refused in one folder is opened from another") {
    const kernel::plugin::ScanResult scanned{
        .plugins = {plugin("a"), plugin("b")},
        .refused = {sdk::make_error(sdk::ErrorKind::invalid, "plugin.sdk_mismatch", "old")},
        .refused_files = {"old/a.so"}};
    for (const Ids& enabled : {Ids{}, Ids{"a"}, Ids{"a", "b"}}) {
        const auto ordered = order(scanned, enabled);
        REQUIRE(ordered.has_value());
        CHECK(ids(*ordered).front() == "a");
    }
}

}  // namespace stele::loader_test
