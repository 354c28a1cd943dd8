#include "tests/nodes/content_check.hpp"

namespace stele::tests {

namespace {

/// Few, so that a check takes several steps.
constexpr std::size_t kAtOnce = 16;

}  // namespace

std::vector<std::string> check_content(ContentWorld& world, const std::string& branch,
                                       bool repairs) {
    std::vector<std::string> codes;
    must(world.services().registrar.run_as_system(
        world.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            codes.clear();
            const nodes::BranchContent content = must(
                nodes::BranchContent::open(world.services(), context, world.branch_key(branch)));
            std::string last;
            while (true) {
                const auto ids = must(nodes::ids_after(content, nodes::kNodeSlot, last, kAtOnce));
                if (ids.empty()) return {};
                for (const std::string& id : ids) {
                    auto record = content.node(id);
                    // Taken away by the repair of another one.
                    if (!record && repairs) continue;
                    const auto faults = must(nodes::check_record(
                        content, {.has_schemas = false, .repairs = repairs}, must(record)));
                    for (const nodes::ContentFault& fault : faults)
                        codes.push_back(fault.code);
                }
                last = ids.back();
            }
        }));
    return codes;
}

}  // namespace stele::tests
