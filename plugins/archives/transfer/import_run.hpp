#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "transfer/configuration.hpp"
#include "transfer/identities.hpp"
#include "transfer/import_outcome.hpp"
#include "transfer/surroundings.hpp"
#include "transfer/transfer_services.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Brings records and content into a record, or onto it, inside the transaction of a context and
/// with the rights of its principal: each write is the operation that a client would ask for. One
/// thread; used once.
class ImportRun {
public:
    /// Asked after each record.
    using Progress = std::function<sdk::Result<void>(std::uint64_t done, std::uint64_t total)>;

    ImportRun(const TransferServices& services, sdk::Context& context, TransferSource& source,
              const TransferConfiguration& wanted, sdk::RecordKey target, Progress progress);
    ~ImportRun();
    ImportRun(const ImportRun&) = delete;
    ImportRun& operator=(const ImportRun&) = delete;

    sdk::Result<ImportOutcome> run();

    /// The thread is inside of `run`: what is made now comes from an archive, with all that it had.
    static bool is_running();

private:
    sdk::Result<void> bring();
    /// Where a record goes.
    struct Destination {
        /// A record that is there already and becomes this one.
        std::optional<sdk::RecordKey> present = {};
        sdk::RecordKey container = {};
    };

    /// Of the records that a reference with the word leads through.
    std::vector<std::string> chain_types(const std::string& word) const;
    sdk::Result<void> look_at_target();
    sdk::Result<void> check_subjects() const;
    sdk::Result<void> bring_records();
    /// For what a record waits: for everything that it names, or for what it cannot be without.
    enum class Patience { everything, required, none };
    bool must_wait(const TransferRecord& record, Patience patience) const;
    sdk::Result<void> bring_record(const TransferRecord& record);
    /// Nothing for what is neither a subject nor lies in a record that comes or belongs to one.
    sdk::Result<std::optional<Destination>> destination_of(const TransferRecord& record) const;
    sdk::Result<std::optional<sdk::RecordKey>> find_present(const TransferRecord& record,
                                                            const sdk::FamilyInfo& family,
                                                            const sdk::RecordKey& container) const;
    sdk::Result<sdk::RecordKey> create(const TransferRecord& record, const sdk::FamilyInfo& family,
                                       const sdk::RecordKey& container);
    sdk::Result<sdk::RecordKey> fork_branch(const TransferRecord& record,
                                            const sdk::RecordKey& repository);
    /// The branch that a fork comes from, as it is called here.
    sdk::Result<std::string> parent_of(const TransferRecord& record,
                                       const sdk::RecordKey& repository) const;
    /// Keeps what closes a branch until its content is there.
    void hold_back_protection(const TransferRecord& record, sdk::Json& fields);
    sdk::Result<void> protect_branches();
    /// By its coordinates: an upload gives it an id of its own.
    sdk::Result<std::optional<sdk::RecordKey>> find_archive(const TransferRecord& record,
                                                            const sdk::RecordKey& vault) const;
    sdk::Result<sdk::RecordKey> upload_archive(const TransferRecord& record,
                                               const sdk::RecordKey& vault);
    /// With the members that an upload does not take.
    sdk::Result<sdk::RecordKey> create_archive(const TransferRecord& record,
                                               const sdk::RecordKey& vault);
    sdk::Result<bool> has_zip(const TransferRecord& record, const sdk::RecordKey& present) const;
    /// Its zip, where that is another one, and its members.
    sdk::Result<void> update_archive(const TransferRecord& record, const sdk::RecordKey& present);
    sdk::Result<void> update(const TransferRecord& record, const sdk::RecordKey& present);
    bool has_no_secrets(const sdk::FamilyInfo& family) const;
    void note_open_secrets(const TransferRecord& record, const sdk::FamilyInfo& family);
    sdk::Json written_secrets(const TransferRecord& record, const sdk::FamilyInfo& family) const;
    sdk::Result<bool> has_secrets(const sdk::RecordKey& key, const sdk::Json& secrets) const;
    sdk::Result<void> restore_secrets(const TransferRecord& record, const sdk::FamilyInfo& family,
                                      const sdk::RecordKey& key);
    sdk::Result<void> meet_companions(const TransferRecord& record, const sdk::RecordKey& key);
    sdk::Result<void> bring_rights();
    sdk::Result<void> bring_assignments();
    sdk::Result<void> complete_record(const TransferRecord& record, const sdk::RecordKey& key);
    /// Others write while it takes its time.
    sdk::Result<void> move_on();
    sdk::Result<void> bring_content();
    sdk::Result<void> bring_content_of(const TransferContent& content);
    sdk::Result<sdk::ContentTarget> target_of(const TransferContent& content) const;
    void count(const TransferContent& content, sdk::ContentReport& report);
    /// Nodes and associations that came into a branch, by their ids in the source: their grants,
    /// and where the subjects are.
    sdk::Result<void> meet_nodes(const TransferContent& content, const sdk::RecordKey& key,
                                 const sdk::TextTable& ids);
    sdk::Result<void> tell_subjects();
    /// Or lies in what was.
    bool is_refused(const TransferSubject& subject) const;
    sdk::Result<sdk::Json> target_chain(const sdk::RecordKey& key) const;
    sdk::Result<sdk::Json> ask(const sdk::RecordKey& record, sdk::InnerOperation operation) const;
    bool is_subject(const std::string& key) const;
    bool is_clone() const { return wanted_.strategy == sdk::TransferStrategy::clone; }
    /// What was done with what has the key, by the archive; a dry run notes a refusal and goes on.
    sdk::Result<void> tried(const std::string& key, sdk::Result<void> done);
    sdk::Error about(sdk::Error error, std::string_view key) const;

    const TransferServices& services_;
    sdk::Context& context_;
    TransferSource& source_;
    const TransferConfiguration& wanted_;
    const sdk::RecordKey target_;
    Progress progress_;
    const sdk::FamilyInfo* target_family_ = nullptr;
    Identities identities_;
    std::set<std::string> expected_records_;
    /// Those that cannot be made here, and what lies in them.
    std::set<std::string> left_out_;
    /// Of a dry run.
    std::set<std::string> refused_;
    /// The target, where it stays as it is.
    std::set<std::string> kept_;
    /// Keys of records by those of what belongs to them.
    std::map<std::string, std::string> owners_;
    /// How many records of the last pass wait for others.
    std::size_t waiting_ = 0;
    /// What stands here for a record of the source, by its key.
    std::map<std::string, sdk::RecordKey> records_;
    /// Members of branches that come after their content, by the keys of these in the source.
    std::map<std::string, sdk::Json> protections_;
    /// Snapshots that were made here, which take content this once.
    std::set<sdk::RecordKey> snapshots_;
    /// What came along with a record that was made, for those that it is to stand for.
    std::map<std::string, sdk::RecordKey> arrived_;
    /// Keys of what the import is about.
    std::set<std::string> subjects_;
    /// Keys of the companions of records that came.
    std::set<std::string> belonging_;
    /// Records that name others which had not come yet.
    std::set<std::string> unfinished_;
    /// Of these, those that were equal as far as was known.
    std::set<std::string> skipped_so_far_;
    /// Some record tells of policies.
    bool has_assignments_ = false;
    /// Made or changed, so that what lies beside them is to be brought, too.
    std::map<std::string, std::string> subject_ids_;
    ImportOutcome outcome_;
    Surroundings surroundings_;
    std::uint64_t done_ = 0;
    /// Records that come, and of content what has come to be known.
    std::uint64_t total_ = 0;
};

}  // namespace stele::archives
