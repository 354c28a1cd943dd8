#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_transfer.hpp>
#include <stele/sdk/services/families.hpp>
#include <stele/sdk/text_table.hpp>

namespace stele::archives {

/// What an export tells of. It shows one moment, and its archive is kept at a later one: who has
/// lost READ on something meanwhile does not get it
/// (docs/decisions/0169-rights-that-end-during-transfers.md). One thread.
class ToldRecords {
public:
    /// All of it but branches lies in files without names in the folder.
    explicit ToldRecords(const std::filesystem::path& scratch)
        : records_(scratch), secrets_(scratch), nodes_(scratch), scratch_(scratch) {}

    void clear();
    sdk::Result<void> add(const sdk::RecordKey& record) { return records_.put(record, {}); }
    /// All of a branch, to whoever may READ all of it.
    void add_whole(const sdk::CollectionName& nodes) { whole_.push_back(nodes); }
    /// Secrets of a record, by the names of its members.
    sdk::Result<void> add_secrets(const sdk::RecordKey& record,
                                  const std::vector<std::string>& names);
    /// What comes out of a source, with the reference of a node that has no id yet. Both outlive
    /// what is answered.
    std::unique_ptr<sdk::ContentSource> noting(sdk::ContentSource& source, std::string reference);

    /// Records and single nodes; branches are few.
    std::uint64_t count() const { return records_.size() + secrets_.size() + nodes_.size(); }
    /// Whether whoever acts in a context may not READ one of these that is still there, and might
    /// in that of the export, or may not have its secrets.
    sdk::Result<bool> is_one_lost(sdk::Context& context, sdk::Context& former,
                                  const sdk::Families& families) const;
    /// The same of branches that are told as a whole.
    sdk::Result<bool> is_branch_lost(sdk::Context& context, sdk::Context& former) const;

private:
    sdk::Result<bool> is_record_lost(sdk::Context& context, sdk::Context& former) const;
    sdk::Result<bool> is_secret_lost(sdk::Context& context, const sdk::Families& families) const;
    sdk::Result<bool> is_node_lost(sdk::Context& context, sdk::Context& former) const;

    /// Keys.
    sdk::TextTable records_;
    /// Keys, and JSON arrays of names.
    sdk::TextTable secrets_;
    std::vector<sdk::CollectionName> whole_;
    /// References.
    sdk::TextTable nodes_;
    std::filesystem::path scratch_;
};

}  // namespace stele::archives
