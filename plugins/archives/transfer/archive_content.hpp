#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "transfer/archive_files.hpp"

namespace stele::archives {

/// The files of attachments in an archive, by the folder that `attachments` lies in.
using AttachmentPaths = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The attachments that lie beside a record: what a file of metadata says of one, else the record's
/// `_system.attachments`, else its name.
sdk::Result<std::vector<sdk::ContentItem::File>> files_beside(const ArchiveFiles& archive,
                                                              const std::vector<std::string>& paths,
                                                              const sdk::Json& fields);

/// The state that changesets of an archive lead to: of several versions of a node the last one, and
/// nothing of what was deleted. The archive and the paths outlive it.
class ArchiveContent final : public sdk::ContentSource {
public:
    /// `folders` of changesets, the oldest first.
    static sdk::Result<ArchiveContent> open(const ArchiveFiles& archive,
                                            const AttachmentPaths& attachments,
                                            const std::vector<std::string>& folders);

    sdk::Result<void> for_each(const Visit& visit) override;
    sdk::Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit) override;

private:
    enum class Kind : std::uint8_t { definition, node, association };
    struct Item {
        Kind kind = Kind::node;
        std::string path;
    };

    ArchiveContent(const ArchiveFiles& archive, const AttachmentPaths& attachments)
        : archive_(&archive), attachments_(&attachments) {}

    /// Where it belongs among the others; nothing where it says that it was removed.
    sdk::Result<std::optional<Kind>> kind_of(const std::string& path) const;
    sdk::Result<sdk::Json> read(const std::string& path) const;
    sdk::Result<sdk::ContentItem> item_of(const Item& item) const;

    const ArchiveFiles* archive_;
    const AttachmentPaths* attachments_;
    std::vector<Item> items_;
};

}  // namespace stele::archives
