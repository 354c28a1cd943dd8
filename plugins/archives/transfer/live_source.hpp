#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/text_table.hpp>

#include "rights/told_records.hpp"
#include "transfer/configuration.hpp"
#include "transfer/policy_assignments.hpp"
#include "transfer/transfer_services.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// What an export left out.
struct TransferOmissions {
    /// Whoever acts may not READ everything there was to look at. It says nothing about whether
    /// there was something hidden (docs/decisions/0050-what-hidden-records-tell.md).
    bool may_be_partial = false;
    /// Secrets were wanted, and whoever acts may not have those of every record.
    bool lacks_secrets = false;
};

/// Records and content of a platform, as whoever acts in a context may read them; what they may not
/// read is left out and counted. The context outlives it.
class LiveSource final : public TransferSource {
public:
    /// `not_found` for a reference that leads nowhere or to what may not be read; `invalid`
    /// (`transfer.source_unfit`) for a family that has no export.
    static sdk::Result<std::unique_ptr<LiveSource>> open(const TransferServices& services,
                                                         sdk::Context& context,
                                                         const std::vector<std::string>& references,
                                                         const TransferConfiguration& wanted);

    const std::vector<TransferSubject>& subjects() const override { return subjects_; }
    bool reads_context() const override { return true; }
    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const TransferRecord&)>& visit) override;
    sdk::Result<void> for_each_content(
        const std::function<sdk::Result<void>(const TransferContent&)>& visit) override;

    const TransferOmissions& omissions() const { return omissions_; }
    /// What the walks have handed over.
    const ToldRecords& told() const { return told_; }

private:
    using Visit = std::function<sdk::Result<void>(const TransferRecord&)>;

    /// A branch whose content goes along, as far as `nodes` say.
    struct Content {
        sdk::RecordKey branch;
        std::vector<std::string> nodes;
    };
    /// A record on the walk, with what its container knows already.
    struct Place {
        sdk::RecordKey key;
        std::string container;
        std::string location;
    };

    LiveSource(const TransferServices& services, sdk::Context& context,
               const TransferConfiguration& wanted)
        : services_(services),
          context_(context),
          wanted_(wanted),
          assignments_(services, context),
          scratch_(services.scratch_folder()),
          visited_(scratch_),
          told_(scratch_) {}

    sdk::Result<void> add_subject(const std::string& reference);
    sdk::Result<void> add_content(const sdk::RecordKey& branch, const std::string& node);
    sdk::Result<sdk::Json> chain_of(const sdk::RecordKey& key) const;
    sdk::Result<std::string> location_of(const sdk::RecordKey& key) const;
    sdk::Result<Place> place_of(const sdk::RecordKey& key) const;

    sdk::Result<void> walk(const Place& place, const Visit& visit);
    sdk::Result<void> walk_contained(const Place& place, const TransferRecord& record,
                                     const sdk::FamilyInfo& family, const Visit& visit);
    sdk::Result<bool> is_wanted(const sdk::RecordKey& key, const TransferRecord& record,
                                const sdk::FamilyInfo& family) const;
    sdk::Result<sdk::Json> rows(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                sdk::InnerOperation operation);
    sdk::Result<void> add_rights(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                 TransferRecord& record);
    sdk::Result<void> add_teams(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                TransferRecord& record);
    sdk::Result<void> add_assignments(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                      TransferRecord& record);
    sdk::Result<void> add_secrets(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                  TransferRecord& record);
    sdk::Result<void> add_files(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                TransferRecord& record);
    sdk::Result<void> add_companions(const sdk::RecordKey& key, TransferRecord& record,
                                     std::vector<sdk::RecordKey>& outside);
    /// Whether what lies in a collection may be more than what is taken along.
    sdk::Result<void> note_reach(const sdk::CollectionName& collection);
    sdk::Result<void> note_refused(const sdk::RecordKey& key);
    sdk::Json named(const sdk::Json& principal) const;
    sdk::Result<sdk::Json> members_of(const sdk::RecordKey& group) const;
    sdk::Result<sdk::Json> acl_of(const sdk::RecordKey& key, const sdk::FamilyInfo& family);
    sdk::Result<sdk::Json> acl_of_node(const std::string& branch, const std::string& node);
    sdk::Result<std::string> state_of(const Content& content) const;
    sdk::ContentSelection selection_of(const Content& content) const;
    sdk::Result<void> visit_content(
        sdk::ContentTransfer& transfer, const Content& content,
        const std::function<sdk::Result<void>(const TransferContent&)>& visit);

    const TransferServices& services_;
    sdk::Context& context_;
    const TransferConfiguration& wanted_;
    PolicyAssignments assignments_;
    std::string primary_domain_;
    std::vector<TransferSubject> subjects_;
    std::vector<sdk::RecordKey> roots_;
    std::vector<Content> contents_;
    const std::filesystem::path scratch_;
    /// Keys.
    sdk::TextTable visited_;
    TransferOmissions omissions_;
    ToldRecords told_;
};

}  // namespace stele::archives
