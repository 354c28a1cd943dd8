#include "kernel/authority/container_chain.hpp"

#include "kernel/authority/inheritance.hpp"

namespace stele::kernel::authority {

namespace {

// Far beyond any real nesting; containers that contain each other must not hang the server.
constexpr std::size_t kMostContainers = 64;

sdk::Result<std::vector<sdk::RecordKey>> containers_of(const sdk::Reader& reader, RecordTree& tree,
                                                       const sdk::RecordKey& record) {
    std::vector<sdk::RecordKey> chain{record};
    while (true) {
        auto container = tree.container_of(reader, chain.back());
        if (!container) return container.error();
        if (!*container) return chain;
        if (chain.size() == kMostContainers) {
            return sdk::make_error(sdk::ErrorKind::internal, "authority.containers_endless",
                                   "The containers of a record contain each other.");
        }
        chain.push_back(**std::move(container));
    }
}

}  // namespace

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record) {
    auto records = containers_of(reader, tree, record);
    if (!records) return records.error();
    const auto siblings = tree.inherits_from(reader, record);
    if (!siblings) return siblings.error();
    records->insert(records->begin() + 1, siblings->begin(), siblings->end());
    if (records->size() < siblings->size() + 2) {
        return ContainerChain(*std::move(records), siblings->size(), 0);
    }
    // Only what lies on the platform itself inherits, so one look is enough.
    const bool lies_on_platform = records->size() == siblings->size() + 2;
    const auto sources = sources_of(reader, lies_on_platform ? record : *(records->end() - 2));
    if (!sources) return sources.error();
    records->insert(records->end() - 1, sources->begin(), sources->end());
    return ContainerChain(*std::move(records), siblings->size(), sources->size());
}

}  // namespace stele::kernel::authority
