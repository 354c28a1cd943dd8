#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/unnamed_file.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/manifest.hpp"
#include "sealing/archive_seal.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Writes an archive (docs/reference/archive-format.md) as a stream: memory does not grow with it,
/// but for the grants on single nodes of the branch that is being written. One thread.
class ArchiveWriter {
public:
    /// Asked after each entry; a failure ends the export.
    using Progress = std::function<sdk::Result<void>(std::uint64_t entries, std::uint64_t bytes)>;

    /// `folder` takes what the manifest will say, in a file without a name.
    static sdk::Result<ArchiveWriter> open(sdk::ZipWriter::Sink sink,
                                           const std::filesystem::path& folder, Progress progress);
    /// Before anything is added. Without a seal secrets stay away. The seal outlives the writer.
    void seal_with(const ArchiveSeal& seal) { seal_ = &seal; }

    sdk::Result<void> add(const TransferRecord& record);
    sdk::Result<void> add(const TransferContent& content);
    /// Writes the manifest, whose own members `manifest` has, and the directory.
    sdk::Result<void> finish(sdk::Json manifest);

    /// Records, nodes and associations.
    std::uint64_t entries() const { return entries_; }
    /// Records whose secrets are sealed in it.
    std::uint64_t sealed_records() const { return sealed_records_; }

private:
    /// An entry of the manifest's `contents` on its way.
    struct Entry {
        sdk::Json told;
        std::string location;

        Entry(std::string_view key, std::string_view type, std::string_view id, std::string folder);
    };
    /// What was written of a changeset.
    struct Written {
        bool is_whole = false;
        std::set<std::string> nodes = {};
    };

    ArchiveWriter(sdk::ZipWriter zip, sdk::UnnamedFile contents, Progress progress);

    sdk::Result<void> add_file(Entry& entry, const std::string& name, const sdk::Json& content);
    sdk::Result<void> add_file(Entry& entry, const std::string& name,
                               const sdk::ContentItem::File& file);
    sdk::Result<void> add_files(Entry& entry, const std::vector<sdk::ContentItem::File>& files);
    sdk::Result<void> close(const Entry& entry);
    sdk::Result<void> add_changeset(const TransferContent& content, const std::string& id);
    sdk::Result<void> add_item(const TransferContent& content, const std::string& changeset,
                               const sdk::ContentItem& item, const sdk::Json& acl);
    /// `grants` where other branches have written of what this one shows, else null.
    sdk::Result<void> add_order(const TransferContent& content,
                                const std::vector<std::string>& changesets,
                                const sdk::Json& grants);

    sdk::ZipWriter zip_;
    sdk::UnnamedFile contents_;
    Progress progress_;
    std::uint64_t entries_ = 0;
    std::uint64_t sealed_records_ = 0;
    const ArchiveSeal* seal_ = nullptr;
    ContentDigest digest_;
    /// By the folders of changesets.
    std::map<std::string, Written> written_;
    /// Folders of branches, by their references.
    std::map<std::string, std::string> branches_;
};

}  // namespace stele::archives
