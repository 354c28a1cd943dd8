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

/// Adds what a record is in the containers that it came from: a grant there counts here.
sdk::Result<void> add_elsewhere(const sdk::Reader& reader, RecordTree& tree,
                                const sdk::RecordKey& record,
                                const std::vector<sdk::RecordKey>& origins,
                                std::vector<sdk::RecordKey>& elsewhere) {
    for (const sdk::RecordKey& origin : origins) {
        auto there = tree.record_inside(reader, record, origin);
        if (!there) return there.error();
        if (*there) elsewhere.push_back(**std::move(there));
    }
    return {};
}

/// Only what lies on the platform itself inherits, so one look is enough.
sdk::Result<std::vector<sdk::RecordKey>> sources_in(const sdk::Reader& reader,
                                                    const std::vector<sdk::RecordKey>& containers) {
    if (containers.size() < 2) return std::vector<sdk::RecordKey>();
    return sources_of(reader, *(containers.end() - 2));
}

/// Puts the parts between containers; `origins_place` is behind the one that holds the record.
sdk::Result<ContainerChain> chain_of(const sdk::Reader& reader,
                                     std::vector<sdk::RecordKey> containers,
                                     const std::vector<sdk::RecordKey>& siblings,
                                     std::size_t elsewhere,
                                     const std::vector<sdk::RecordKey>& origins,
                                     std::size_t origins_place) {
    const auto sources = sources_in(reader, containers);
    if (!sources) return sources.error();
    if (!sources->empty())
        containers.insert(containers.end() - 1, sources->begin(), sources->end());
    if (!origins.empty()) {
        containers.insert(containers.begin() + static_cast<std::ptrdiff_t>(origins_place),
                          origins.begin(), origins.end());
    }
    containers.insert(containers.begin() + 1, siblings.begin(), siblings.end());
    return ContainerChain(std::move(containers),
                          {siblings.size(), elsewhere, origins.size(), sources->size()});
}

}  // namespace

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record) {
    auto containers = containers_of(reader, tree, record);
    if (!containers) return containers.error();
    auto siblings = tree.inherits_from(reader, record);
    if (!siblings) return siblings.error();
    const auto origins = tree.origins_of(reader, record);
    if (!origins) return origins.error();
    std::vector<sdk::RecordKey> elsewhere;
    if (auto added = add_elsewhere(reader, tree, record, *origins, elsewhere); !added)
        return added.error();
    for (const sdk::RecordKey& sibling : *siblings) {
        const auto of_sibling = tree.origins_of(reader, sibling);
        if (!of_sibling) return of_sibling.error();
        if (auto added = add_elsewhere(reader, tree, sibling, *of_sibling, elsewhere); !added)
            return added.error();
    }
    siblings->insert(siblings->end(), elsewhere.begin(), elsewhere.end());
    return chain_of(reader, *std::move(containers), *siblings, elsewhere.size(), *origins, 2);
}

sdk::Result<ContainerChain> contents_chain(const sdk::Reader& reader, RecordTree& tree,
                                           const sdk::RecordKey& container) {
    auto containers = containers_of(reader, tree, container);
    if (!containers) return containers.error();
    const auto origins = tree.origins_inside(reader, container);
    if (!origins) return origins.error();
    return chain_of(reader, *std::move(containers), {}, 0, *origins, 1);
}

}  // namespace stele::kernel::authority
