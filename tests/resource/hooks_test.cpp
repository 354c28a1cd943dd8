#include <catch2/catch.hpp>

#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

/// Does to its records what the member `break` of a body says.
class CarelessFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "careless";
        descriptor.path = "careless";
        descriptor.placeholder = "carelessId";
        descriptor.fields = {{.name = "count", .kind = sdk::FieldKind::integer, .read_only = true}};
        return descriptor;
    }
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context&) override {
        if (!change.after) return {};
        sdk::Json& fields = change.after->fields;
        const auto wanted = fields.find("break");
        const std::string what =
            wanted == fields.end() ? std::string() : wanted->get<std::string>();
        if (what == "id") fields["_doc"] = "another";
        if (what == "no id") fields.erase("_doc");
        if (what == "kind") fields["count"] = "many";
        if (what == "fields") fields = sdk::Json::array();
        if (what == "nesting") {
            for (int i = 0; i < 150; ++i)
                fields["deep"] = sdk::Json::array({fields["deep"]});
        }
        return {};
    }
};

/// Keeps its records as they are while they say `closed`, and takes none that begin so.
class ClosingFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "closing";
        descriptor.path = "closing";
        descriptor.placeholder = "closingId";
        return descriptor;
    }
    sdk::Result<void> check_writable(const sdk::Change& change, sdk::Context&) override {
        const sdk::Json& fields = change.before ? change.before->fields : change.after->fields;
        if (!fields.contains("closed")) return {};
        return sdk::make_error(sdk::ErrorKind::locked, "closing.closed", "it is closed");
    }
    sdk::Result<void> prepare(sdk::Change&, sdk::Context&) override {
        ++prepared;
        return {};
    }
    inline static int prepared = 0;
};

struct CarelessFixture : ResourceFixture {
    CarelessFixture() : ResourceFixture(families()) {}
    static std::vector<std::unique_ptr<sdk::Resource>> families() {
        std::vector<std::unique_ptr<sdk::Resource>> all;
        all.push_back(std::make_unique<CarelessFamily>());
        all.push_back(std::make_unique<ClosingFamily>());
        return all;
    }
};

}  // namespace

TEST_CASE_METHOD(CarelessFixture, "what a hook makes of a record is checked like what came in") {
    json(system(), "POST", "/careless", {{"_doc", "kept"}, {"a", 1}});
    const struct {
        const char* what;
        const char* code;
    } cases[] = {{"id", "resource.hook_broke_record"},
                 {"no id", "resource.hook_broke_record"},
                 {"kind", "resource.hook_broke_record"},
                 {"fields", "resource.hook_broke_record"},
                 {"nesting", "field.nesting_deep"}};
    for (const auto& [what, code] : cases) {
        INFO(what);
        const auto refused = [&](const char* method, const char* path) {
            const auto reply = request(system(), method, path, {{"break", what}});
            REQUIRE(reply.has_error());
            const auto& error = reply.error();
            const bool is_violation = !error.violations.empty();
            CHECK((is_violation ? error.violations[0].code : error.code) == code);
        };
        refused("POST", "/careless");
        refused("PUT", "/careless/kept");
        const sdk::Json kept = json(system(), "GET", "/careless/kept");
        CHECK(kept.at("a") == 1);
        CHECK(kept.at("_doc") == "kept");
    }
    CHECK(json(system(), "GET", "/careless").at("total_rows") == 1);
}

TEST_CASE_METHOD(CarelessFixture, "what a plugin keeps on a record is checked as well") {
    json(system(), "POST", "/careless", {{"_doc", "kept"}});
    sdk::Json deep = 1;
    for (int i = 0; i < 150; ++i)
        deep = sdk::Json::array({std::move(deep)});
    WorkContext context(services, system());
    const auto patched = context.documents().patch({"careless", ""}, "kept", {{"deep", deep}});
    REQUIRE(patched.has_error());
    CHECK(patched.error().violations.at(0).code == "field.nesting_deep");
}

TEST_CASE_METHOD(CarelessFixture, "what a family keeps closed is written in no way") {
    json(system(), "POST", "/closing", {{"_doc", "open"}});
    const sdk::CollectionName closing{"closing", ""};
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        auto closed = context.documents().patch(closing, "open", {{"closed", true}});
        return closed ? sdk::Result<void>() : closed.error();
    });
    ClosingFamily::prepared = 0;
    const auto is_refused = [](const auto& result) {
        return result.has_error() && result.error().code == "closing.closed";
    };
    CHECK(is_refused(request(system(), "PUT", "/closing/open", {{"a", 1}})));
    CHECK(is_refused(request(system(), "DELETE", "/closing/open")));
    CHECK(is_refused(request(system(), "POST", "/closing", {{"closed", true}})));
    WorkContext context(services, system());
    CHECK(is_refused(context.documents().patch(closing, "open", {{"a", 1}})));
    CHECK(ClosingFamily::prepared == 0);
    CHECK(json(system(), "GET", "/closing").at("total_rows") == 1);
}

}  // namespace stele::kernel::resource::testing
