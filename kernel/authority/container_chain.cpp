#include "kernel/authority/container_chain.hpp"

namespace stele::kernel::authority {

namespace {

// Far beyond any real nesting; containers that contain each other must not hang the server.
constexpr std::size_t kMostContainers = 64;

}  // namespace

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record) {
    ContainerChain chain{record};
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

}  // namespace stele::kernel::authority
