#include "kernel/storage/blob_providers.hpp"

namespace stele::kernel::storage {

sdk::Result<void> BlobProviders::add(std::string name, std::unique_ptr<sdk::BlobStore> store) {
    if (stores_.emplace(name, std::move(store)).second) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "plugin.provider_duplicate",
                           "two plugins offer a place for binaries named " + name);
}

sdk::Result<sdk::BlobStore*> BlobProviders::find(std::string_view name) const {
    const std::string_view wanted = name.empty() ? std::string_view(sdk::kFileProvider) : name;
    const auto found = stores_.find(wanted);
    if (found != stores_.end()) return found->second.get();
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "data_store.provider_missing",
        "no enabled plugin offers the place for binaries " + std::string(wanted));
}

std::vector<std::string> BlobProviders::names() const {
    std::vector<std::string> names;
    for (const auto& [name, store] : stores_)
        names.push_back(name);
    return names;
}

}  // namespace stele::kernel::storage
