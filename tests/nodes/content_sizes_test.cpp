#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

namespace {

std::string make_node(ContentWorld& world, const std::string& branch) {
    const sdk::Json made = must(world.ask(0, {.method = "POST",
                                              .path = "/{branchId}/nodes",
                                              .values = {branch},
                                              .parameters = {},
                                              .body = {{"title", "node"}}}));
    return made.at("_doc").get<std::string>();
}

void update_node(ContentWorld& world, const std::string& branch, const std::string& node) {
    must(world.ask(0, {.method = "PUT",
                       .path = "/{branchId}/nodes/{nodeId}",
                       .values = {branch, node},
                       .parameters = {},
                       .body = {{"title", "a longer title than it had before"}}}));
}

void remove_node(ContentWorld& world, const std::string& branch, const std::string& node) {
    must(world.ask(0, {.method = "DELETE",
                       .path = "/{branchId}/nodes/{nodeId}",
                       .values = {branch, node},
                       .parameters = {}}));
}

}  // namespace

TEST_CASE("what a repository counts is what its history says, on all branches") {
    ContentWorld world;
    const std::string kept = make_node(world, world.master());
    const std::string gone = make_node(world, world.master());
    const sdk::Json made = must(world.ask(
        0,
        {.method = "POST", .path = "", .values = {}, .parameters = {{"branch", world.master()}}}));
    const std::string fork = made.at("_doc").get<std::string>();
    for (const std::string& branch : {world.master(), fork}) {
        update_node(world, branch, kept);
        remove_node(world, branch, gone);
        make_node(world, branch);
    }
    must(world.ask(0, {.method = "DELETE",
                       .path = "/{branchId}/deletions/{nodeId}",
                       .values = {fork, gone},
                       .parameters = {}}));
    CHECK(kernel::resource::check_store(world.kernel()).empty());
}

TEST_CASE("a repository that counts something else than it holds is told of") {
    ContentWorld world;
    make_node(world, world.master());
    must(kernel::resource::run_as_system(
        world.kernel(), world.platform(), [&world](sdk::Context& context) {
            return context.data_stores().count(world.branch_key(world.master()),
                                               {.objects = 1, .bytes = -7});
        }));
    const std::vector<std::string> differences = kernel::resource::check_store(world.kernel());
    REQUIRE(differences.size() == 2);
    CHECK_THAT(differences[0], Catch::Contains("the objects kept are"));
    CHECK_THAT(differences[1], Catch::Contains("the bytes kept are"));
}

}  // namespace stele::tests
