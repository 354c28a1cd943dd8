#include "kernel/authority/container_chain.hpp"

#include "kernel/authority/inheritance.hpp"

namespace stele::kernel::authority {

namespace {

// Far beyond any real nesting; containers that contain each other must not hang the server.
constexpr std::size_t kMaxContainers = 64;

sdk::Result<std::vector<sdk::RecordKey>> containers_of(const sdk::Reader& reader, RecordTree& tree,
                                                       const sdk::RecordKey& record) {
    std::vector<sdk::RecordKey> chain{record};
    while (true) {
        auto container = tree.container_of(reader, chain.back());
        if (!container) return container.error();
        if (!*container) return chain;
        if (chain.size() == kMaxContainers) {
            return sdk::make_error(sdk::ErrorKind::internal, "authority.containers_endless",
                                   "The containers of a record contain each other.");
        }
        chain.push_back(**std::move(container));
    }
}

/// Only what lies on the platform itself inherits, so one look is enough.
sdk::Result<std::vector<sdk::RecordKey>> sources_in(const sdk::Reader& reader,
                                                    const std::vector<sdk::RecordKey>& containers) {
    if (containers.size() < 2) return std::vector<sdk::RecordKey>();
    return sources_of(reader, *(containers.end() - 2));
}

/// What the record is in the nearest container that it came from; a key of nothing where that has
/// no records any more.
sdk::Result<std::optional<sdk::RecordKey>> origin_of(const sdk::Reader& reader, RecordTree& tree,
                                                     const sdk::RecordKey& record) {
    const auto origins = tree.origins_of(reader, record);
    if (!origins) return origins.error();
    if (origins->empty()) return std::optional<sdk::RecordKey>();
    auto there = tree.record_inside(reader, record, origins->front());
    if (!there || *there) return there;
    return std::optional<sdk::RecordKey>(sdk::RecordKey());
}

}  // namespace

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record) {
    auto records = containers_of(reader, tree, record);
    if (!records) return records.error();
    const auto siblings = tree.inherits_from(reader, record);
    if (!siblings) return siblings.error();
    auto origin = origin_of(reader, tree, record);
    if (!origin) return origin.error();
    const auto sources = sources_in(reader, *records);
    if (!sources) return sources.error();
    if (!sources->empty()) records->insert(records->end() - 1, sources->begin(), sources->end());
    records->insert(records->begin() + 1, siblings->begin(), siblings->end());
    return ContainerChain(*std::move(records), {siblings->size(), 0, sources->size()},
                          *std::move(origin));
}

sdk::Result<ContainerChain> contents_chain(const sdk::Reader& reader, RecordTree& tree,
                                           const sdk::RecordKey& container) {
    auto records = containers_of(reader, tree, container);
    if (!records) return records.error();
    const auto origins = tree.origins_inside(reader, container);
    if (!origins) return origins.error();
    const auto sources = sources_in(reader, *records);
    if (!sources) return sources.error();
    if (!sources->empty()) records->insert(records->end() - 1, sources->begin(), sources->end());
    records->insert(records->begin() + 1, origins->begin(), origins->end());
    return ContainerChain(*std::move(records), {0, origins->size(), sources->size()});
}

}  // namespace stele::kernel::authority
