#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/services/families.hpp>

#include "paths/kept_paths.hpp"
#include "paths/locations.hpp"
#include "sealing/archive_seal.hpp"
#include "transfer/archive_content.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Records and content out of an archive of the layout of docs/reference/archive-format.md, which
/// those of models 2.0.0 and 3.0.0 have, too. Read by where files lie, whatever the manifest's keys
/// look like. Records that only lie around what it is about do not come. One thread; the archive
/// outlives it.
class ArchiveSource final : public TransferSource {
public:
    /// Without a seal, which outlives it, secrets stay away, with a note.
    /// `invalid`: `archives.record_malformed` for a record that is no JSON object,
    /// `archives.transfer_subject_missing`.
    static sdk::Result<std::unique_ptr<ArchiveSource>> open(const sdk::Families& families,
                                                            const ArchiveFiles& archive,
                                                            ArchiveManifest manifest,
                                                            const ArchiveSeal* seal = nullptr);

    const std::vector<TransferSubject>& subjects() const override { return subjects_; }
    /// Files that lie where nothing is looked for, the first hundred of them.
    std::vector<std::string> notes() const override { return unknown_; }
    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const TransferRecord&)>& visit) override;
    sdk::Result<void> for_each_content(
        const std::function<sdk::Result<void>(const TransferContent&)>& visit) override;

private:
    /// A record, by where it lies.
    struct Place {
        std::string location;
        std::string key;
        std::string type;
        std::string word;
        std::string container;
    };
    /// A repository in whose folder content lies.
    struct Repository {
        std::string key;
        /// Folders of changesets by their ids, in the order of the archive.
        sdk::TextTable folders;
    };

    ArchiveSource(const sdk::Families& families, const ArchiveFiles& archive,
                  ArchiveManifest manifest, const ArchiveSeal* seal)
        : families_(families),
          archive_(archive),
          manifest_(std::move(manifest)),
          seal_(seal),
          acl_paths_(archive.scratch()),
          files_(archive.scratch()) {}

    sdk::Result<void> look_through();
    std::size_t find_changesets(const std::string& path);
    std::size_t find_attachments(const std::string& path);
    /// Whether the path is one of content.
    sdk::Result<bool> take_content(const std::string& path);
    sdk::Result<void> take_changeset(const std::string& repository, const std::string& folder);
    /// False where it lies nowhere that is known.
    sdk::Result<bool> take_record(const std::string& path);
    sdk::Result<void> read_subjects();
    void drop_surroundings();
    sdk::Result<void> check_subjects() const;
    sdk::Result<sdk::Json> json_at(const std::string& path) const;
    /// Of lists that are kept at once, `left` are the bytes that may still be read.
    sdk::Result<sdk::Json> list_at(const std::string& path, std::size_t* left = nullptr) const;
    sdk::Result<TransferRecord> read(const Place& place) const;
    sdk::Result<sdk::Json> secrets_at(const std::string& location) const;
    sdk::Result<PathList> changesets_of(const Repository& repository, const Place* branch) const;
    sdk::Result<sdk::TextTable> acl_paths_in(const PathList& folders) const;
    sdk::Result<void> visit_content(
        const std::string& location, const Repository& repository, const Place* branch,
        const std::function<sdk::Result<void>(const TransferContent&)>& visit) const;

    const sdk::Families& families_;
    const ArchiveFiles& archive_;
    ArchiveManifest manifest_;
    const ArchiveSeal* seal_;
    bool has_secrets_ = false;
    std::vector<TransferSubject> subjects_;
    std::set<std::string> subject_keys_;
    /// Ids of the nodes and associations among the subjects, and the branch of the last one.
    std::vector<std::string> content_subjects_;
    std::string content_branch_;
    PathMemory memory_;
    std::vector<Place> records_;
    std::vector<std::string> unknown_;
    std::map<std::string, Repository, std::less<>> repositories_;
    /// The folder of the changeset that was met last: nearly all files lie in the same as the one
    /// before.
    std::string last_changeset_;
    /// Of nodes and associations.
    sdk::TextTable acl_paths_;
    /// The same of the folder around attachments.
    std::string last_with_files_;
    /// Paths of the files in folders of attachments, by the folder around these.
    PathsByFolder files_;
};

}  // namespace stele::archives
