#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_transfer.hpp>

namespace stele::archives {

/// One record on its way, whatever its family: what `/acl/list`, `/teams` and the like say of it.
/// Principals are told by domain and name, other records by reference.
struct TransferRecord {
    /// Reference.
    std::string key;
    std::string type;
    std::string id;
    /// Key of the record that contains it; empty for a platform.
    std::string container;
    /// Folder of the archive, no slash at the end.
    std::string location;
    /// As served.
    sdk::Json fields;
    /// Arrays; empty where there is nothing or nothing is taken.
    sdk::Json acl;
    sdk::Json roles;
    sdk::Json teams;
    /// Members of a group.
    sdk::Json members;
    /// Principals and teams that an access policy is assigned to.
    sdk::Json targets;
    /// Keys of system policies that are assigned to a principal; those of teams stand in `teams`.
    sdk::Json policies;
    /// Keys of records that belong to it, by the names under which they do
    /// (`sdk::Resource::companions`).
    std::map<std::string, std::string> companions;
    /// In clear, by their members; empty where none are taken. Never to be logged.
    sdk::Json secrets;
    std::vector<sdk::ContentItem::File> files;
    /// The zip of an archive; nothing else has one.
    std::optional<sdk::ContentItem::File> zip;

    TransferRecord();
};

/// The content of a branch on its way.
struct TransferContent {
    /// References.
    std::string branch;
    std::string repository;
    /// Folder of the repository.
    std::string location;
    /// Ids of the nodes that it is about; empty: the whole branch.
    std::vector<std::string> nodes;
    /// The changeset whose state it is; empty: its items are versions of theirs.
    std::string state;
    sdk::ContentSource& source;
    /// The record of a changeset.
    std::function<sdk::Result<sdk::Json>(const std::string& changeset)> changeset;
    /// Who was granted what on a node, as `TransferRecord::acl`.
    std::function<sdk::Result<sdk::Json>(const std::string& node)> acl;
};

/// What an export, an import or a copy is about.
struct TransferSubject {
    std::string type;
    std::string id;
    /// Reference.
    std::string key;
    /// `{typeId, id, key}` from the platform down to it.
    sdk::Json chain;

    TransferSubject();
};

/// `invalid` (`archives.transfer_subject_missing`): a source does not hold what it says it is
/// about.
sdk::Error subject_missing(const TransferSubject& subject);

/// Records and content that are taken somewhere, from a platform or out of an archive. One thread.
class TransferSource {
public:
    virtual ~TransferSource();

    /// What whoever walks it does between the steps of what the source itself does for long, such
    /// as looking into a million of records; a failure ends that. None takes it away.
    using Step = std::function<sdk::Result<void>()>;
    void set_step(Step step) { step_ = std::move(step); }

    virtual const std::vector<TransferSubject>& subjects() const = 0;
    /// Whether it reads by the transaction of whoever walks it, which must then show the same state
    /// until its end.
    virtual bool reads_context() const { return false; }
    /// What a person should know of it.
    virtual std::vector<std::string> notes() const { return {}; }
    /// From a platform containers come before what they contain, records before those that belong
    /// to them; an archive may have another order. May be called again.
    virtual sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const TransferRecord&)>& visit) = 0;
    /// After the records.
    virtual sdk::Result<void> for_each_content(
        const std::function<sdk::Result<void>(const TransferContent&)>& visit) = 0;

protected:
    sdk::Result<void> step() const { return step_ ? step_() : sdk::Result<void>(); }

private:
    Step step_;
};

}  // namespace stele::archives
