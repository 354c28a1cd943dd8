#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "paths/kept_paths.hpp"
#include "transfer/archive_files.hpp"

namespace stele::archives {

/// The attachments that lie beside a record: what a file of metadata says of one, else the record's
/// `_system.attachments`, else its name.
sdk::Result<std::vector<sdk::ContentItem::File>> files_beside(const ArchiveFiles& archive,
                                                              const std::vector<std::string>& paths,
                                                              const sdk::Json& fields);

/// The state that changesets of an archive lead to: of several versions of a node the last one, and
/// nothing of what was deleted. The archive and the paths outlive it. What it knows of each node
/// lies in files without names.
class ArchiveContent final : public sdk::ContentSource {
public:
    /// `attachments` by the folder that `attachments` lies in; `folders` of changesets, the oldest
    /// first. `step` is called for each file and each version; a failure ends it.
    static sdk::Result<ArchiveContent> open(const ArchiveFiles& archive,
                                            const PathsByFolder& attachments, PathList folders,
                                            const Step& step);

    sdk::Result<void> for_each(const Visit& visit) override;
    sdk::Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit) override;

private:
    enum class Kind : std::uint8_t { definition, node, association, removed };
    /// The last version of a node.
    struct Version {
        /// Place of the folder of its changeset among `folders_`.
        std::uint64_t age = 0;
        Kind kind = Kind::node;

        static Version of(std::string_view text);
        std::string text() const;
    };

    ArchiveContent(const ArchiveFiles& archive, const PathsByFolder& attachments, PathList folders)
        : archive_(&archive),
          attachments_(&attachments),
          folders_(std::move(folders)),
          versions_(archive.scratch()),
          kinds_(archive.scratch()) {}

    sdk::Result<void> take(const std::string& path);
    /// Looks into all versions for what they are.
    sdk::Result<void> sort_by_kind(const Step& step);
    static std::string_view file_of(Kind kind);
    /// Where it belongs among the others.
    sdk::Result<Kind> kind_of(const std::string& path) const;
    sdk::Result<std::string> folder_of(std::string_view node, const Version& version) const;
    sdk::Result<sdk::ContentItem> item_of(const std::string& folder, Kind kind) const;

    const ArchiveFiles* archive_;
    const PathsByFolder* attachments_;
    PathList folders_;
    /// By the names of nodes' folders, in the order in which they come; one for each kind, so that
    /// a walk meets each once. All of them lie in `versions_` until it is known what they are.
    struct Kinds {
        explicit Kinds(const std::filesystem::path& scratch)
            : definitions(scratch), nodes(scratch), associations(scratch) {}
        sdk::TextTable& of(Kind kind);

        sdk::TextTable definitions;
        sdk::TextTable nodes;
        sdk::TextTable associations;
    };
    sdk::TextTable versions_;
    Kinds kinds_;
};

}  // namespace stele::archives
