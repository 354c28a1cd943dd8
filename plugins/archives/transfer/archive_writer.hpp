#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/text_table.hpp>
#include <stele/sdk/unnamed_file.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/manifest.hpp"
#include "paths/json_spool.hpp"
#include "paths/kept_paths.hpp"
#include "sealing/archive_seal.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Writes an archive (docs/reference/archive-format.md) as a stream: memory does not grow with it.
/// One thread.
class ArchiveWriter {
public:
    /// Asked after each entry; a failure ends the export.
    using Progress = std::function<sdk::Result<void>(const sdk::JobProgress& progress)>;

    /// `folder` takes what the manifest will say and what has been written, in files without names.
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
    /// What an import will refuse of it, in sentences, the first of them: it has bounds that an
    /// export has not. After `finish`.
    std::vector<std::string> refusals(const sdk::ZipLimits& limits) const;
    /// Records whose secrets are sealed in it.
    std::uint64_t sealed_records() const { return sealed_records_; }

private:
    /// An entry of the manifest's `contents` on its way.
    struct Entry {
        sdk::Json told;
        std::string location;

        Entry(std::string_view key, std::string_view type, std::string_view id, std::string folder);
    };
    /// What a branch shows, beside what is written of it.
    struct Shown {
        explicit Shown(const std::filesystem::path& scratch);

        /// Changesets in their order, and the same as they are told.
        PathList changesets;
        JsonSpool order;
        /// Nodes with grants, and these.
        sdk::TextTable granted;
        JsonSpool grants;
        /// Other branches have written of it.
        bool is_shared = false;
    };

    ArchiveWriter(sdk::ZipWriter zip, sdk::UnnamedFile contents, std::filesystem::path scratch,
                  Progress progress);

    sdk::Result<void> add_file(Entry& entry, const std::string& name, const sdk::Json& content);
    sdk::Result<void> add_file(Entry& entry, const std::string& name,
                               const sdk::ContentItem::File& file);
    sdk::Result<void> add_list(Entry& entry, const std::string& name, JsonSpool& content);
    void count(std::uint64_t bytes);
    void note_length(const Entry& entry, const std::string& name, std::uint64_t size);
    sdk::Result<void> add_files(Entry& entry, const std::vector<sdk::ContentItem::File>& files);
    sdk::Result<void> close(const Entry& entry);
    sdk::Result<void> add_changeset(const TransferContent& content, const std::string& id);
    sdk::Result<void> add_item(const TransferContent& content, const std::string& changeset,
                               const sdk::ContentItem& item, const sdk::Json& acl);
    sdk::Result<void> show(const TransferContent& content, const sdk::ContentItem& item,
                           Shown& shown);
    /// What of a changeset comes here for the first time; all of it is written by then.
    sdk::Result<bool> is_new(const TransferContent& content, const std::string& folder,
                             const std::string& node);
    static sdk::Result<void> note_grants(Shown& shown, const std::string& node,
                                         const sdk::Json& acl);
    /// With grants where other branches have written of what this one shows.
    sdk::Result<void> add_order(const TransferContent& content, Shown& shown);

    sdk::ZipWriter zip_;
    sdk::UnnamedFile contents_;
    std::filesystem::path scratch_;
    Progress progress_;
    std::uint64_t entries_ = 0;
    /// As far as is known; 0 before the content of a branch is come to.
    std::uint64_t expected_ = 0;
    std::uint64_t sealed_records_ = 0;
    const ArchiveSeal* seal_ = nullptr;
    ContentDigest digest_;
    /// Folders of changesets whose records are written.
    sdk::TextTable changesets_;
    /// Folders of changesets of which all is written that their branch shows.
    sdk::TextTable whole_;
    /// Folders of nodes that were written as parts of selections.
    sdk::TextTable parts_;
    /// Folders of branches, by their references.
    sdk::TextTable branches_;
    /// Bytes of all files, unpacked.
    std::uint64_t unpacked_ = 0;
    std::uint64_t files_ = 0;
    std::vector<std::string> too_long_;
};

}  // namespace stele::archives
