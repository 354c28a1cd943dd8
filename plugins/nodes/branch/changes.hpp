#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <stele/sdk/context.hpp>

#include "branch/branch_store.hpp"
#include "branch/changeset_id.hpp"
#include "version/line_load.hpp"
#include "version/line_writer.hpp"

namespace stele::nodes {

/// Targets that properties name no more, by node and property (branch/relation_elements.hpp).
using GoneElements = std::map<std::string, std::map<std::string, std::set<std::string>>>;

/// What an operation changes in branches: one changeset for each branch that it writes to. Begun by
/// the first write, ended with the operation's transaction.
class Changes final : public sdk::ContextPart {
public:
    /// Those of the context's transaction, begun when there are none yet.
    static Changes& of(sdk::Context& context, const BranchStore& branches);

    /// For writing on a branch; lives until the context ends.
    sdk::Result<LineWriter*> writer(sdk::Context& context, const sdk::RecordKey& branch);
    /// The kernel's way to write a collection of the branch, under the slot of its family.
    sdk::Result<sdk::Transaction*> collection(sdk::Context& context,
                                              const sdk::SpaceCollection& collection, char slot);
    /// Ends the changeset that a repository begins with, on its first branch: what follows in the
    /// transaction, forks among it, stands on top of it.
    sdk::Result<void> end_first(sdk::Context& context, const sdk::RecordKey& branch);
    /// Whether a changeset of the operation is on a line of the place's repository.
    bool writes_to(const BranchPlace& place) const;
    /// Whether one is being written to the branch.
    bool writes(const sdk::RecordKey& branch) const { return changesets_.contains(branch); }

    /// Much content may come into repositories that the operation makes: these get numbers that
    /// nobody else gets, whatever becomes of it.
    void expect_content() { expects_content_ = true; }
    bool expects_content() const { return expects_content_; }
    void note_own(const BranchPlace& place) { own_.insert({place.platform, place.repository}); }
    /// Whether the operation has made the repository under such a number.
    bool is_own(const BranchPlace& place) const {
        return own_.contains({place.platform, place.repository});
    }
    /// What such a repository began with, as rows.
    sdk::Result<std::shared_ptr<const sdk::Reader>> first_rows(const sdk::Reader& reader,
                                                               const BranchPlace& place);
    /// What is written to a branch goes by a load from now on (branch/loading.hpp), of a line that
    /// the branch leads to already.
    sdk::Result<void> load(sdk::Context& context, const sdk::RecordKey& branch,
                           const BranchStore::ReservedLine& line, std::unique_ptr<LineLoad> load);
    /// Null where the branch is written otherwise.
    LineLoad* load_of(const sdk::RecordKey& branch) const;
    /// Undoes that where nothing was written to the branch: there is no changeset. Before anything
    /// else of the repository is written.
    sdk::Result<void> drop_empty_load(sdk::Context& context, const sdk::RecordKey& branch);
    /// Until the operation has ended (`sdk::DataStores::hold_statistics`).
    void keep(std::shared_ptr<const void> held) { held_.push_back(std::move(held)); }
    /// Between two writes, while nothing is walked: what loads have waiting goes into the store
    /// once it is much.
    sdk::Result<void> settle_loads(sdk::Context& context);
    /// Between two steps of what takes long, while nothing is walked: others may commit more
    /// meanwhile than an engine keeps in mind (`sdk::MovableSnapshot`). The transaction stays where
    /// it is once a changeset is held, which goes by the newest revision of the state in which it
    /// was begun. When it has moved, a `BranchContent` from before is to be opened anew unless a
    /// load was begun. `conflict`: the operation is in vain, and is to be done again.
    sdk::Result<void> move_on(sdk::Context& context);
    /// How often it has moved.
    std::size_t moves() const { return moves_; }
    /// Somebody walks what the transaction shows: it must not move on from now on.
    void keep_state() { keeps_state_ = true; }
    /// What is said of the changeset on a branch that is being written.
    sdk::Result<ChangesetNote*> note(sdk::Context& context, const sdk::RecordKey& branch);

    /// Writes to the branch pass, however it is protected (docs/specification/nodes.md 4.4).
    void lift_protection(const sdk::RecordKey& branch) { unprotected_.insert(branch); }
    void restore_protection(const sdk::RecordKey& branch) { unprotected_.erase(branch); }
    bool is_unprotected(const sdk::RecordKey& branch) const {
        return unprotected_.contains(branch);
    }

    /// What a branch's record says of writes to it, as the operation has found it: bulk forms ask
    /// for every node.
    struct BranchRules {
        bool is_archived = false;
        bool is_readonly = false;
        bool is_frozen = false;
        bool blocks_direct_commits = false;
        bool validates_content = false;
    };
    sdk::Result<BranchRules> rules(sdk::Context& context, const sdk::RecordKey& branch);

    /// Whoever a job acts for: its changesets, the nodes' `_system` and the checks of rights of
    /// `BranchContent` are theirs, although the context is the server's.
    void act_for(sdk::Principal principal) { actor_ = std::move(principal); }
    /// Nobody while the server writes on its own account (`ServersOwn`).
    const std::optional<sdk::Principal>& actor() const { return is_servers_own_ ? none_ : actor_; }
    /// Whether nobody but the server acts: what a job writes is somebody's, and is checked.
    bool is_server_alone(const sdk::Context& context) const {
        return context.session().is_system && !actor();
    }

    /// Nodes are being removed because one that they depend on is.
    void set_cascading(bool is_cascading) { is_cascading_ = is_cascading; }
    bool is_cascading() const { return is_cascading_; }

    /// How associations follow properties in this operation (relation/relations.hpp).
    struct Relations {
        /// What is written now makes a property and its associations agree: neither follows.
        bool are_in_step = false;
        /// Content comes back or is copied: what its properties name is as it was written, and
        /// makes no association by itself.
        bool come_back = false;
        /// A type without such properties, as the last write of a node has found it beforehand.
        std::string unrelated_type;
        /// Associations that were made for properties (`count_relation`).
        std::size_t made = 0;
        /// Bytes that properties were told of the nodes that they name.
        std::size_t told = 0;
        /// The nodes above one, along a type.
        struct Above {
            std::string node;
            std::string type;
            std::unordered_set<std::string> nodes;
        };
        /// While many associations are made from one node, which do not change what is above it:
        /// each would look for the same circle. Null otherwise.
        Above* above = nullptr;
        /// What goes from a branch.
        struct Gone {
            /// What properties name no more.
            GoneElements elements;
            /// Nodes that are removed.
            std::set<std::string> nodes;
        };
        std::map<sdk::RecordKey, Gone> gone;
    };
    Relations& relations() { return relations_; }

    /// Nodes whose deletions were purged while deletions of their associations are left, by branch
    /// (history/purge.hpp).
    using PurgedNodes = std::map<sdk::RecordKey, std::vector<std::string>>;
    PurgedNodes& purged_nodes() { return purged_nodes_; }

    /// Is called before the changesets end, when everything else is written. One of a name for an
    /// operation.
    using LastWrite = std::function<sdk::Result<void>(sdk::Context&)>;
    void write_last(std::string_view name, LastWrite write) {
        last_writes_.insert_or_assign(std::string(name), std::move(write));
    }

    /// `_system` members that a node gets with its next write in this operation; null takes one
    /// away. Later writes keep them as they keep all of `_system`.
    void set_system(const std::string& node, sdk::Json members);
    /// Those, for that write; null for most.
    std::unique_ptr<sdk::Json> take_system(const std::string& node);

    /// A node that has got another name in a folder: `finish` fails with `conflict`
    /// (`nodes.name_taken`) where it has it still, and another node has it, too.
    struct NewName {
        std::string folder;
        std::string name;
        std::string node;
    };
    sdk::Result<void> note_name(sdk::Context& context, const sdk::RecordKey& branch, NewName name);

    sdk::Result<void> finish(sdk::Context& context) override;
    void complete(const sdk::Transaction& committed, std::string& body) override;

private:
    friend class ServersOwn;

    struct Changeset {
        VersionSpace space;
        /// Null for most.
        std::unique_ptr<LineLoad> load;
        std::unique_ptr<LineWriter> writer;
        ChangesetNote note;
        std::map<std::string, std::unique_ptr<sdk::Transaction>> collections;
        std::vector<NewName> new_names;
        /// Of a load.
        BranchStore::ReservedLine reserved = {};
        /// Nobody else has written to it yet.
        bool is_servers = false;
    };

    explicit Changes(const BranchStore& branches) : branches_(branches) {}
    sdk::Result<Changeset*> changeset(sdk::Context& context, const sdk::RecordKey& branch);
    sdk::Result<void> write_last(sdk::Context& context);
    static sdk::Result<void> check_new_names(const Changeset& changeset);
    sdk::Result<void> end(Changeset& changeset) const;

    const BranchStore& branches_;
    std::map<sdk::RecordKey, std::unique_ptr<Changeset>> changesets_;
    std::vector<std::unique_ptr<Changeset>> ended_;
    /// How many lines of a repository are written, but for first changesets; by its counter.
    std::map<std::string, std::uint64_t> lines_;
    std::vector<std::shared_ptr<const void>> held_;
    bool keeps_state_ = false;
    std::size_t moves_ = 0;
    bool expects_content_ = false;
    std::set<std::pair<std::uint64_t, std::uint64_t>> own_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const sdk::Reader>>
        first_rows_;
    std::map<sdk::RecordKey, BranchRules> rules_;
    std::map<std::string, std::unique_ptr<sdk::Json>> systems_;
    std::optional<sdk::Principal> actor_;
    const std::optional<sdk::Principal> none_;
    bool is_servers_own_ = false;
    std::set<sdk::RecordKey> unprotected_;
    bool is_cascading_ = false;
    Relations relations_;
    PurgedNodes purged_nodes_;
    std::map<std::string, LastWrite> last_writes_;
};

/// Sets a flag while it lives.
class Raised {
public:
    explicit Raised(bool& flag) : flag_(flag), before_(flag) { flag_ = true; }
    ~Raised() { flag_ = before_; }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

private:
    bool& flag_;
    const bool before_;
};

/// What is written with the server's context while it lives is the server's own (persons, tags),
/// also in a job that acts for somebody. Never around what a client names.
class ServersOwn {
public:
    explicit ServersOwn(Changes& changes) : changes_(changes), before_(changes.is_servers_own_) {
        changes_.is_servers_own_ = true;
    }
    ~ServersOwn() { changes_.is_servers_own_ = before_; }
    ServersOwn(const ServersOwn&) = delete;
    ServersOwn& operator=(const ServersOwn&) = delete;

private:
    Changes& changes_;
    const bool before_;
};

}  // namespace stele::nodes
