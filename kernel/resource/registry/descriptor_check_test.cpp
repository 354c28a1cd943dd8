#include "kernel/resource/registry/descriptor_check.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace stele::kernel::resource {

namespace {

using sdk::ResourceDescriptor;

ResourceDescriptor note() {
    ResourceDescriptor descriptor;
    descriptor.type = "note";
    descriptor.path = "notes";
    descriptor.placeholder = "noteId";
    descriptor.fields = {{.name = "title"}, {.name = "key"}};
    return descriptor;
}

}  // namespace

TEST_CASE("a descriptor is refused for what is wrong in it, with a sentence about that") {
    using Change = std::function<void(ResourceDescriptor&)>;
    const auto with_field = [](sdk::Field field) {
        return [field = std::move(field)](ResourceDescriptor& it) { it.fields.push_back(field); };
    };
    const std::vector<std::pair<Change, std::string>> cases{
        {[](auto& it) { it.type = ""; }, "type is missing"},
        {[](auto& it) { it.path = ""; }, "path is missing"},
        {[](auto& it) { it.path = "/notes"; }, "slash"},
        {[](auto& it) { it.path = "notes/"; }, "slash"},
        {[](auto& it) {
             it.path_aliases = {"n", "notes"};
         },
         "notes is there already"},
        {[](auto& it) {
             it.path_aliases = {"n", "n"};
         },
         "n is there already"},
        {[](auto& it) { it.path_aliases = {""}; }, "alias is empty"},
        {[](auto& it) { it.placeholder = ""; }, "placeholder is missing"},
        {[](auto& it) { it.container = ""; }, "container is missing"},
        {[](auto& it) { it.composite_indexes = {{"title"}}; }, "two fields"},
        {with_field({.name = ""}), "has no name"},
        {with_field({.name = "title"}), "title is declared twice"},
        {with_field({.name = "_doc"}), "_doc"},
        {with_field({.name = "_system.tip"}), "_system.tip"},
        {with_field({.name = "word", .secret = true, .unique = true}), "secret field word"},
        {with_field({.name = "word", .unique = true, .unindexed = true}), "word is unindexed"},
        {with_field({.name = "_system.edited_by", .unindexed = true}), "shares entries"},
        {with_field({.name = "_system.modified_on", .unindexed = true}), "shares entries"},
        {with_field({.name = "word", .default_json = "{"}), "word is no JSON"}};
    CHECK(check_descriptor("test", note()).has_value());
    for (const auto& [change, sentence] : cases) {
        INFO(sentence);
        ResourceDescriptor descriptor = note();
        change(descriptor);
        const auto checked = check_descriptor("test", descriptor);
        REQUIRE(checked.has_error());
        CHECK(checked.error().code == "plugin.descriptor_incomplete");
        CHECK_THAT(checked.error().message, Catch::Contains(sentence));
    }
}

}  // namespace stele::kernel::resource
