#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/services/content_transfer.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// What comes before what: content needs its definitions, associations need their ends.
enum class ItemKind : std::uint8_t { definition, node, association };

inline constexpr std::array kItemKinds{ItemKind::definition, ItemKind::node, ItemKind::association};

ItemKind kind_of(const sdk::Json& fields);

/// Whether a record is the folder that all paths begin in: one of each branch stands for that of
/// another.
bool is_root(const sdk::Json& fields);
/// Whether a node stands for a principal.
bool is_person(const sdk::Json& fields);

/// Where imports and exports keep what grows with their items, in files without names; empty (it
/// stays in memory) where the server has no folder.
std::filesystem::path scratch_folder(const BranchContent& content);

/// Makes items of the versions of a branch. The branch's binaries outlive it and the items.
class ItemMaker {
public:
    /// `unavailable` (`data_store.provider_missing`).
    static sdk::Result<ItemMaker> open(const BranchContent& content, bool has_attachments);

    /// Of a record as it is stored, with its `_system`.
    sdk::ContentItem item(const std::string& id, sdk::Json record) const;
    static sdk::ContentItem removal(const std::string& id, std::string changeset);

private:
    ItemMaker(sdk::BlobStore& binaries, bool has_attachments)
        : binaries_(&binaries), has_attachments_(has_attachments) {}

    sdk::BlobStore* binaries_;
    bool has_attachments_;
};

}  // namespace stele::nodes
