#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/blob_store.hpp>

#include "kernel/storage/blob/verified_blobs.hpp"

namespace stele::kernel::storage {

/// The places for binaries that data stores can pick, by name; what is read from them is verified.
/// Filled while plugins open, then read by any thread.
class BlobProviders {
public:
    /// `conflict` (`plugin.provider_duplicate`) when the name is taken.
    sdk::Result<void> add(std::string name, std::unique_ptr<sdk::BlobStore> store);
    /// An empty name stands for the default. `unavailable` (`data_store.provider_missing`).
    sdk::Result<sdk::BlobStore*> find(std::string_view name) const;
    /// The same for whoever reads what data stores refer to: where the default is another place
    /// than the files, each of the two is looked into for what the other one lacks.
    sdk::Result<sdk::BlobStore*> find_for_use(std::string_view name) const;
    bool has(std::string_view name) const { return stores_.contains(name); }
    std::vector<std::string> names() const;
    /// The one that is taken where nobody names another; `data_store.provider_missing`.
    sdk::Result<void> set_default(std::string name);

    const std::string& default_name() const { return default_; }

    BlobVerification& verification() { return verification_; }
    const DamageNotes& damage() const { return damage_; }
    /// What it means when a record names bytes that no place has (`blob.unknown`), and still does
    /// after a second look: noted as damage.
    sdk::Error note_gone(const sdk::Error& unknown);

private:
    BlobVerification verification_;
    DamageNotes damage_;
    std::string default_ = sdk::kFileProvider;
    std::map<std::string, std::unique_ptr<sdk::BlobStore>, std::less<>> stores_;
    /// Of the default and the files, by name, where these are two.
    std::map<std::string, std::unique_ptr<sdk::BlobStore>, std::less<>> with_fallback_;
};

}  // namespace stele::kernel::storage
