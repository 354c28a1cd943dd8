#include <catch2/catch.hpp>

#include <stdexcept>

#include "kernel/plugin/plugin_host.hpp"
#include "loader_fixture.hpp"

namespace stele::loader_test {

using kernel::plugin::escaped_count;
using kernel::plugin::guarded;
using kernel::plugin::judge;
using kernel::plugin::PluginFile;
using kernel::plugin::PluginHost;

namespace {

/// Keeps the resources that a plugin adds. Nothing else is asked for by the plugins of these tests.
class KeepingRegistrar final : public sdk::Registrar {
public:
    std::vector<std::unique_ptr<sdk::Resource>> resources;

    void add(std::unique_ptr<sdk::Resource> resource) override {
        resources.push_back(std::move(resource));
    }
    void add(sdk::Endpoint) override { refuse(); }
    void add(std::string, std::unique_ptr<sdk::BlobStore>) override { refuse(); }
    void on_install(std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)>) override {
        refuse();
    }
    void on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)>) override { refuse(); }
    std::string setting(sdk::Setting) override { refuse(); }
    sdk::Engine& engine() override { refuse(); }
    sdk::Result<void> run_as_system(
        const sdk::PlatformScope&,
        const std::function<sdk::Result<void>(sdk::Context&)>&) override {
        refuse();
    }
    sdk::Result<sdk::PlatformScope> find_platform(std::uint64_t) override { refuse(); }
    sdk::PlatformScope root_platform() override { refuse(); }
    std::string shared_key_space(std::string_view) override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw std::logic_error("not asked for in these tests"); }
    void publish_typed(std::type_index, void*) override { refuse(); }
    void* find_typed(std::type_index) override { refuse(); }
};

PluginFile judged(const std::filesystem::path& file) {
    auto plugin = judge(file);
    REQUIRE(plugin.has_value());
    return *plugin;
}

}  // namespace

TEST_CASE("a sound plugin opens and adds its family") {
    KeepingRegistrar registrar;
    PluginHost host;
    REQUIRE(host.open(judged(sound()), registrar).has_value());
    REQUIRE(registrar.resources.size() == 1);
    const sdk::ResourceDescriptor descriptor = registrar.resources[0]->describe();
    CHECK(descriptor.type == "note");
    CHECK(descriptor.path == "notes");
    REQUIRE(descriptor.actions.size() == 1);
    CHECK(descriptor.actions[0].name == "pin");
}

TEST_CASE("what a plugin made outlives the host") {
    KeepingRegistrar registrar;
    {
        PluginHost host;
        REQUIRE(host.open(judged(sound()), registrar).has_value());
    }
    REQUIRE(registrar.resources.size() == 1);
    CHECK(registrar.resources[0]->describe().type == "note");
}

TEST_CASE("a plugin is not opened twice") {
    KeepingRegistrar registrar;
    PluginHost host;
    REQUIRE(host.open(judged(sound()), registrar).has_value());
    const auto again = host.open(judged(sound()), registrar);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code == "plugin.id_duplicate");
}

TEST_CASE("an exception out of open stops at the barrier and is counted") {
    const WitnessWatch watch;
    KeepingRegistrar registrar;
    PluginHost host;
    const std::uint64_t before = escaped_count();
    const auto opened = host.open(judged(broken("throws_in_open")), registrar);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == "plugin.open_threw");
    CHECK_THAT(opened.error().message,
               Catch::Contains("throws_in_open.so: ") && Catch::EndsWith("the ink has dried up"));
    CHECK(escaped_count() == before + 1);
    // The counterpart of the scan that leaves no witness: opening does run code.
    CHECK(watch.has_run());
}

TEST_CASE("a plugin's own refusal keeps its code and names the file") {
    KeepingRegistrar registrar;
    PluginHost host;
    const auto opened = host.open(judged(broken("fails_in_open")), registrar);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == "fails_in_open.ink_missing");
    CHECK_THAT(opened.error().message,
               Catch::Contains("fails_in_open.so: ") && Catch::EndsWith("there is no ink"));
}

TEST_CASE("a library that the loader refuses fails with the loader's reason") {
    const WitnessWatch watch;
    KeepingRegistrar registrar;
    PluginHost host;
    const auto opened = host.open(judged(broken("unresolved_symbol")), registrar);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == "plugin.open_failed");
    CHECK_THAT(opened.error().message, Catch::Contains("open_elsewhere"));
    CHECK_FALSE(watch.has_run());
}

TEST_CASE("a manifest without an open function is refused") {
    KeepingRegistrar registrar;
    PluginHost host;
    const auto opened = host.open(judged(broken("null_open")), registrar);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == "plugin.manifest_malformed");
}

TEST_CASE("a file that is another one when it is opened is refused") {
    KeepingRegistrar registrar;
    PluginHost host;
    PluginFile plugin = judged(sound());
    plugin.id = "memo";
    const auto opened = host.open(plugin, registrar);
    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code == "plugin.open_failed");
    CHECK(registrar.resources.empty());
}

TEST_CASE("the barrier passes results through and turns exceptions into internal errors") {
    const std::uint64_t before = escaped_count();
    const auto value = guarded<int>("note", "POST /notes", [] { return sdk::Result<int>(7); });
    REQUIRE(value.has_value());
    CHECK(*value == 7);
    CHECK(escaped_count() == before);

    const auto thrown = guarded<int>("note", "POST /notes", []() -> sdk::Result<int> {
        throw std::runtime_error("secret text");
    });
    REQUIRE_FALSE(thrown.has_value());
    CHECK(thrown.error().kind == sdk::ErrorKind::internal);
    CHECK(thrown.error().code == "plugin.threw");
    CHECK_THAT(thrown.error().message, !Catch::Contains("secret text"));
    CHECK(thrown.error().detail == "secret text");

    const auto odd = guarded<int>("note", "POST /notes", []() -> sdk::Result<int> { throw 7; });
    REQUIRE_FALSE(odd.has_value());
    CHECK(odd.error().code == "plugin.threw");
    CHECK(escaped_count() == before + 2);
}

}  // namespace stele::loader_test
