#include "directory.hpp"

#include <stele/sdk/data_store.hpp>

#include "domain.hpp"
#include "identity_credentials.hpp"

namespace stele::identity {

sdk::ResourceDescriptor Directory::describe() const {
    return {.type = kDirectoryType,
            .path = "directories",
            .placeholder = "directoryId",
            .fields = sdk::data_store_fields(),
            .title = "directories"};
}

sdk::Result<void> Directory::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return keep_primary(change, context);
    sdk::prepare_data_store(change, kDirectoryType);
    return {};
}

}  // namespace stele::identity
