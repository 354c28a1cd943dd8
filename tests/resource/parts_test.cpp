#include <catch2/catch.hpp>

#include "kernel/resource/registry/descriptor_check.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

/// Pages of a library in a language, which is no record.
sdk::ResourceDescriptor page_descriptor() {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = "page";
    descriptor.container = "library";
    descriptor.path = "languages/{language}/pages";
    descriptor.placeholder = "pageId";
    descriptor.container_member = "libraryId";
    descriptor.fields = {
        {.name = "language", .kind = sdk::FieldKind::text, .read_only = true},
        {.name = "address", .kind = sdk::FieldKind::text, .addresses = true},
    };
    return descriptor;
}

class PageFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override { return page_descriptor(); }
};

std::vector<std::unique_ptr<sdk::Resource>> with_pages() {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    families.push_back(std::make_unique<PageFamily>());
    return families;
}

struct Pages : ResourceFixture {
    Pages() : ResourceFixture(with_pages()) {
        create({"library", ""}, {{"_doc", "north"}});
        for (const std::string language : {"de", "fr"}) {
            json(system(), "POST", pages(language),
                 {{"_doc", language + "-1"}, {"language", "xx"}, {"address", language + "/home"}});
        }
    }
    static std::string pages(const std::string& language) {
        return "/libraries/north/languages/" + language + "/pages";
    }
    sdk::Json query(const std::string& language, const sdk::Json& condition) {
        return json(system(), "POST", pages(language) + "/query", condition);
    }
};

bool is_refused(const sdk::ResourceDescriptor& descriptor) {
    const auto checked = check_descriptor("test", descriptor);
    return !checked && checked.error().code == "plugin.descriptor_incomplete";
}

}  // namespace

TEST_CASE_METHOD(Pages, "what a path says is said by the records that are made there") {
    const sdk::Json page = json(system(), "GET", pages("de") + "/de-1");
    CHECK(page.at("language") == "de");
    CHECK(page.at("libraryId") == "north");
    const sdk::Json updated = json(system(), "PUT", pages("de") + "/de-1", {{"language", "fr"}});
    CHECK(updated.at("language") == "de");
}

TEST_CASE_METHOD(Pages, "a path leads to no record that says otherwise") {
    for (const char* method : {"GET", "PUT", "DELETE"}) {
        CHECK(request(system(), method, pages("fr") + "/de-1").error().code == "document.unknown");
    }
    // Also where a path was remembered.
    CHECK(json(system(), "GET", pages("de") + "/de-1").at("_doc") == "de-1");
    CHECK(request(system(), "GET", pages("fr") + "/de-1").error().code == "document.unknown");
    CHECK(json(system(), "GET", pages("fr")).at("total_rows") == 1);
    CHECK(json(system(), "GET", pages("it")).at("total_rows") == 0);
}

TEST_CASE_METHOD(Pages, "a condition reaches no other part") {
    CHECK(query("fr", {{"language", "de"}}).at("total_rows") == 0);
    CHECK(query("fr", {{"language", {{"$exists", true}}}}).at("total_rows") == 1);
    const sdk::Json either = {
        {"$or", sdk::Json::array({{{"language", "de"}}, {{"language", "fr"}}})}};
    CHECK(query("fr", either).at("total_rows") == 1);
    const sdk::Json both = {{"language", "de"},
                            {"$and", sdk::Json::array({{{"address", "de/home"}}})}};
    CHECK(query("fr", both).at("total_rows") == 0);
    CHECK(query("de", both).at("total_rows") == 1);
}

TEST_CASE_METHOD(Pages, "a name leads to the record of the part that is addressed so there") {
    CHECK(json(system(), "GET", pages("de") + "/home").at("_doc") == "de-1");
    CHECK(json(system(), "GET", pages("fr") + "/home").at("_doc") == "fr-1");
    // Neither does an id of another part stand in the way of a name.
    json(system(), "POST", pages("fr"), {{"_doc", "fr-2"}, {"address", "fr/de-1"}});
    CHECK(json(system(), "GET", pages("fr") + "/de-1").at("_doc") == "fr-2");
}

TEST_CASE("placeholders of a path name read-only text members and nothing else") {
    CHECK(check_descriptor("test", page_descriptor()).has_value());
    auto undeclared = page_descriptor();
    undeclared.fields.clear();
    CHECK(is_refused(undeclared));
    auto written = page_descriptor();
    written.fields.front().read_only = false;
    CHECK(is_refused(written));
    auto aliased = page_descriptor();
    aliased.path_aliases = {"p"};
    CHECK(is_refused(aliased));
    auto broken = page_descriptor();
    broken.path = "languages/{language/pages";
    CHECK(is_refused(broken));
}

}  // namespace stele::kernel::resource::testing
