// What a write reads of definitions to find out whether it may name nodes.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "relation/named_targets.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

std::string define(ContentWorld& world, const char* name, const char* parent) {
    const sdk::Json made = must(world.ask(
        0,
        {.method = "POST",
         .path = "/{branchId}/nodes",
         .values = {world.master()},
         .body = {{"_type", nodes::type::kDefinedType}, {"_qname", name}, {"_parent", parent}}}));
    return sdk::text_member(made, "_doc");
}

}  // namespace

TEST_CASE("a write reads each definition once, however many types extend it") {
    ContentWorld world;
    define(world, "my:root", "n:node");
    const std::string base = define(world, "my:base", "my:root");
    define(world, "my:one", "my:base");
    define(world, "my:two", "my:base");
    must(world.services().registrar.run_as_system(
        world.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            const auto content = must(nodes::BranchContent::open(world.services(), context,
                                                                 world.branch_key(world.master())));
            nodes::NamedTargets targets(content);
            CHECK(must(targets.is_of({{}, {}, "my:one"}, "my:root")));
            must(context.documents().patch(content.nodes(), base, {{"_parent", "n:node"}}));
            CHECK(must(targets.is_of({{}, {}, "my:two"}, "my:root")));
            CHECK_FALSE(must(nodes::NamedTargets(content).is_of({{}, {}, "my:two"}, "my:root")));
            CHECK_FALSE(must(targets.is_of({{}, {}, "my:two"}, "my:one")));
            return {};
        }));
}

}  // namespace stele::tests
