#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "transfer/archive_content.hpp"
#include "transfer/archive_files.hpp"

namespace stele::archives {

/// The content of an archive that was laid out by hand (docs/specification/merge_and_transfer.md
/// 5.1). Nothing has an id there, so the path below the folder of the branch stands for it:
/// `/nodes/plum`, `/types/fruit`. What only folders say becomes records: forms and translations
/// with the associations that lead to them, and the marks of translations and their masters. The
/// archive outlives it.
class GenerationOneContent final : public sdk::ContentSource {
public:
    static sdk::Result<GenerationOneContent> open(const ArchiveFiles& archive);

    sdk::Result<void> for_each(const Visit& visit) override;

    bool is_empty() const { return items_.empty(); }
    /// Ids of nodes that no directed association leads to; of all where one leads to each.
    sdk::Result<std::vector<std::string>> tops() const;

private:
    enum class Kind : std::uint8_t { definition, node, form, translation, association };
    struct Item {
        Kind kind = Kind::node;
        /// Of the file, below the folder of the branch.
        std::string path;
    };

    explicit GenerationOneContent(const ArchiveFiles& archive) : archive_(&archive) {}

    sdk::Result<void> take(const std::string& path);
    sdk::Result<sdk::Json> read(const std::string& path) const;
    sdk::Result<void> visit_item(const Item& item, const Visit& visit) const;
    /// These and the associations that lead to them.
    sdk::Result<void> visit_form(const Item& item, const Visit& visit) const;
    sdk::Result<void> visit_translation(const Item& item, const Visit& visit) const;
    sdk::Result<sdk::ContentItem> association_of(const Item& item) const;
    sdk::Result<sdk::ContentItem> record_of(const Item& item, const std::string& id) const;
    sdk::Result<std::vector<sdk::ContentItem::File>> files_of(const std::string& folder) const;

    const ArchiveFiles* archive_;
    PathMemory memory_;
    std::vector<Item> items_;
    /// Paths of attachments, by the folder that `attachments` lies in.
    std::map<std::string, std::vector<std::string>> attachments_;
    /// Folders of what has translations.
    std::set<std::string, std::less<>> masters_;
};

/// The folder of the branch in such an archive.
inline constexpr std::string_view kBranchFolder = "repository/branch";

}  // namespace stele::archives
