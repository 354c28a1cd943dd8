#include <catch2/catch.hpp>

#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

class StampedFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "stamped";
        descriptor.path = "stamped";
        descriptor.placeholder = "stampedId";
        descriptor.fields = {
            {.name = "stamp", .kind = sdk::FieldKind::text, .required = true, .immutable = true},
            {.name = "seal", .kind = sdk::FieldKind::text, .immutable = true}};
        return descriptor;
    }
};

struct StampedFixture : ResourceFixture {
    StampedFixture() : ResourceFixture(families()) {}
    static std::vector<std::unique_ptr<sdk::Resource>> families() {
        std::vector<std::unique_ptr<sdk::Resource>> all;
        all.push_back(std::make_unique<StampedFamily>());
        return all;
    }
};

}  // namespace

TEST_CASE_METHOD(StampedFixture, "an update keeps what a field got from the create") {
    json(system(), "POST", "/stamped", {{"_doc", "one"}, {"stamp", "red"}, {"a", 1}});
    json(system(), "PUT", "/stamped/one", {{"stamp", "blue"}, {"seal", "late"}, {"a", 2}});
    const sdk::Json kept = json(system(), "GET", "/stamped/one");
    CHECK(kept.at("stamp") == "red");
    CHECK_FALSE(kept.contains("seal"));
    CHECK(kept.at("a") == 2);
}

TEST_CASE_METHOD(StampedFixture, "what an update says of a kept field is checked all the same") {
    json(system(), "POST", "/stamped", {{"_doc", "one"}, {"stamp", "red"}});
    for (const sdk::Json& body : {sdk::Json{{"stamp", 7}}, sdk::Json{{"a", 2}}}) {
        const auto reply = request(system(), "PUT", "/stamped/one", body);
        REQUIRE(reply.has_error());
        CHECK(reply.error().violations.at(0).path == "stamp");
    }
    CHECK(json(system(), "GET", "/stamped/one").at("stamp") == "red");
}

}  // namespace stele::kernel::resource::testing
