#include "kernel/storage/blob/blob_providers.hpp"

#include "kernel/storage/blob/fallback_blobs.hpp"

namespace stele::kernel::storage {

sdk::Result<void> BlobProviders::add(std::string name, std::unique_ptr<sdk::BlobStore> store) {
    auto verified = verify_blobs(std::move(store), name, verification_, damage_);
    if (stores_.emplace(name, std::move(verified)).second) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "plugin.provider_duplicate",
                           "two plugins offer a place for binaries named " + name);
}

sdk::Result<sdk::BlobStore*> BlobProviders::find(std::string_view name) const {
    const std::string_view wanted = name.empty() ? std::string_view(default_) : name;
    const auto found = stores_.find(wanted);
    if (found != stores_.end()) return found->second.get();
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "data_store.provider_missing",
        "no enabled plugin offers the place for binaries " + std::string(wanted));
}

sdk::Result<sdk::BlobStore*> BlobProviders::find_for_use(std::string_view name) const {
    const auto found = with_fallback_.find(name.empty() ? std::string_view(default_) : name);
    return found == with_fallback_.end() ? find(name) : found->second.get();
}

sdk::Result<void> BlobProviders::set_default(std::string name) {
    auto chosen = find(name);
    auto files = find(sdk::kFileProvider);
    if (!chosen) return chosen.error();
    default_ = std::move(name);
    with_fallback_.clear();
    if (!files || *files == *chosen) return {};
    with_fallback_[default_] = std::make_unique<FallbackBlobs>(**chosen, **files);
    with_fallback_[sdk::kFileProvider] = std::make_unique<FallbackBlobs>(**files, **chosen);
    return {};
}

sdk::Error BlobProviders::note_gone(const sdk::Error& unknown) {
    const std::string place = "a binary that a record names is gone: " + unknown.detail;
    damage_.note(place);
    return DamageNotes::error(place);
}

std::vector<std::string> BlobProviders::names() const {
    std::vector<std::string> names;
    for (const auto& [name, store] : stores_)
        names.push_back(name);
    return names;
}

}  // namespace stele::kernel::storage
