#include <stele/sdk/registrar.hpp>

#include <array>
#include <map>
#include <stdexcept>

#include <catch2/catch.hpp>

#include <stele/sdk/services/callers.hpp>
#include <stele/sdk/services/node_paths.hpp>

namespace stele::sdk {

namespace {

/// Knows settings and services only.
class SmallRegistrar final : public Registrar {
public:
    Setting asked;
    std::string answer;

    void add(std::unique_ptr<Resource>) override { refuse(); }
    void add(Endpoint) override { refuse(); }
    void add(std::string, std::unique_ptr<BlobStore>) override { refuse(); }
    void on_install(std::function<Result<void>(Context&, const Json&)>) override { refuse(); }
    void on_platform_removed(std::function<Result<bool>(Context&)>) override { refuse(); }
    std::string setting(Setting setting) override {
        asked = std::move(setting);
        return answer;
    }
    Engine& engine() override { refuse(); }
    Result<void> run_as_system(const PlatformScope&,
                               const std::function<Result<void>(Context&)>&) override {
        refuse();
    }
    Result<PlatformScope> find_platform(std::uint64_t) override { refuse(); }
    PlatformScope root_platform() override { refuse(); }
    std::string shared_key_space(std::string_view) override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw std::logic_error("not asked for in these tests"); }
    void publish_typed(std::type_index type, void* service) override { services_[type] = service; }
    void* find_typed(std::type_index type) override {
        const auto found = services_.find(type);
        return found == services_.end() ? nullptr : found->second;
    }

    std::map<std::type_index, void*> services_;
};

/// Notes its end.
class Mortal {
public:
    Mortal(std::string& ends, char name) : ends_(ends), name_(name) {}
    ~Mortal() { ends_ += name_; }
    Mortal(const Mortal&) = delete;
    Mortal& operator=(const Mortal&) = delete;

    char name() const { return name_; }

private:
    std::string& ends_;
    char name_;
};

}  // namespace

TEST_CASE("what a registrar was given to keep lives as long as it does") {
    std::string ends;
    {
        SmallRegistrar registrar;
        const Mortal& first = registrar.own(std::make_unique<Mortal>(ends, 'a'));
        registrar.own(std::make_unique<Mortal>(ends, 'b'));
        CHECK(first.name() == 'a');
        CHECK(ends.empty());
    }
    CHECK(ends.size() == 2);
}

TEST_CASE("services that a plugin needs come together, or the missing one is named") {
    SmallRegistrar registrar;
    // Only their addresses matter.
    alignas(Callers) std::array<char, sizeof(Callers)> callers{};
    alignas(NodePaths) std::array<char, sizeof(NodePaths)> paths{};
    registrar.publish(reinterpret_cast<Callers&>(callers));
    const auto refused = registrar.require<Callers, NodePaths>();
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == ErrorKind::unavailable);
    CHECK(refused.error().code == "plugin.service_missing");
    CHECK_THAT(refused.error().message, Catch::Contains("service NodePaths,"));

    registrar.publish(reinterpret_cast<NodePaths&>(paths));
    const auto found = registrar.require<Callers, NodePaths>();
    REQUIRE(found.has_value());
    CHECK(static_cast<const void*>(&std::get<0>(*found)) == &callers);
    CHECK(static_cast<const void*>(&std::get<1>(*found)) == &paths);
}

TEST_CASE("a setting is declared with its kind and bounds") {
    SmallRegistrar registrar;
    registrar.answer = "12";
    CHECK(registrar.number({"count", "3", "Count"}, 2, 20) == 12);
    CHECK(registrar.asked.name == "count");
    CHECK(registrar.asked.default_value == "3");
    CHECK(registrar.asked.kind == SettingKind::number);
    CHECK(registrar.asked.least == 2);
    CHECK(registrar.asked.most == 20);

    CHECK(registrar.bytes({"size", "3", "Size"}, 1) == 12);
    CHECK(registrar.asked.kind == SettingKind::bytes);
    CHECK(registrar.asked.least == 1);

    CHECK_FALSE(registrar.flag({"flag", "true", "Flag"}));
    CHECK(registrar.asked.kind == SettingKind::flag);
    registrar.answer = "true";
    CHECK(registrar.flag({"flag", "false", "Flag"}));

    CHECK(registrar.choice({"word", "a", "Word"}, {"a", "b"}) == "true");
    CHECK(registrar.asked.kind == SettingKind::text);
    CHECK(registrar.asked.one_of == std::vector<std::string>{"a", "b"});
}

}  // namespace stele::sdk
