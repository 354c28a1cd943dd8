#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::tests {

/// The association of a folder with a member.
inline constexpr char kMembership[] = "a:child";

/// A node or association as one changeset wrote it.
struct ModelRecord {
    std::string id;
    /// Everything but `_doc` and `_system`.
    sdk::Json fields;
    std::string created_by;
    std::string modified_by;
    /// Empty while the changeset is being written.
    std::string changeset;
    std::string previous;

    /// Read out of the fields by `keep`.
    std::string type;
    std::string source;
    std::string target;
    bool is_association = false;
    bool is_undirected = false;

    std::string text(std::string_view member) const;
    bool is_container() const;
    /// What its folder calls it.
    std::string name() const;
};
using ModelRecordPtr = std::shared_ptr<const ModelRecord>;

/// The record as it is from now on.
ModelRecordPtr keep(ModelRecord record);

struct ModelDeletion {
    ModelRecordPtr last;
    std::string deleted_by;
    std::string changeset;
    /// Because another one did.
    bool went_along = false;
};

/// What a branch holds after a changeset; whole, and never changed afterwards.
struct ModelState {
    /// By id, which is the order of creation.
    std::map<std::string, ModelRecordPtr> records;
    std::map<std::string, ModelDeletion> deletions;

    /// Associations of a node, in order of creation.
    std::vector<ModelRecordPtr> associations(std::string_view node) const;
    /// Directed ones of a type that lead to the node.
    std::vector<ModelRecordPtr> incoming(std::string_view node, std::string_view type) const;
    std::vector<ModelRecordPtr> outgoing(std::string_view node, std::string_view type) const;
    /// Members of a folder, each once, in order of their associations.
    std::vector<std::string> children(std::string_view folder) const;
    /// Whether another member of a folder has the node's name.
    bool has_other_member(std::string_view folder, const std::string& node) const;
    /// Whether that is so in one of the folders that the node lies in.
    bool has_namesake(const std::string& node) const;
    std::string root() const;
    /// Whether a new association would close a circle of folders and owners, bring a second owner,
    /// or a second member of one name to a folder.
    bool is_unfit(const ModelRecord& association) const;
    /// Every way from the root to a node by names.
    std::set<std::string> paths(std::string_view node, std::string_view root) const;
    /// What goes with a node, itself among it.
    std::set<std::string> closure(std::string_view node) const;
};

/// A changeset being written: a whole copy, which is changed. Ids that only the server knows are
/// made up, and replaced when they are known.
class ModelChange {
public:
    ModelChange(ModelState state, std::string user)
        : state_(std::move(state)), user_(std::move(user)) {}

    const ModelState& state() const { return state_; }
    bool has_changes() const { return has_changes_; }
    /// Whether it brings an association or a name that there must not be.
    bool is_unfit() const { return is_unfit_; }

    std::string create_node(sdk::Json fields);
    /// What a client sends; the rest stays.
    void update(const std::string& id, sdk::Json fields);
    /// Takes over everything that a version said.
    void restore_version(const std::string& id, const ModelRecord& version);
    void make_container(const std::string& id);
    void associate(const std::string& source, const std::string& target, const std::string& type,
                   bool is_undirected);
    /// Takes the node away with all that depends on it, or the association.
    void remove(const std::string& id);
    void restore_deletion(const std::string& id);
    void purge(const std::string& id);
    void purge_everything();

    /// Ids that were made up for associations.
    const std::set<std::string>& unknown_ids() const { return unknown_; }
    void rename(const std::string& made_up, const std::string& id);
    /// With the changeset's id put in.
    ModelState finish(const std::string& changeset);

private:
    std::string made_up_id();
    void put(const std::string& id, sdk::Json fields);
    void bury(const std::string& id, bool goes_along);
    void dig_out(const std::string& id);

    ModelState state_;
    std::string user_;
    std::set<std::string> unknown_;
    std::size_t next_ = 0;
    bool has_changes_ = false;
    bool is_unfit_ = false;
};

/// A branch: what it showed after each of its changesets, those that it was forked from included.
struct ModelBranch {
    struct Point {
        std::string changeset;
        std::shared_ptr<const ModelState> state;
    };

    std::string id;
    std::vector<Point> points;

    const ModelState& tip() const { return *points.back().state; }
    /// Versions of a node, newest first.
    std::vector<ModelRecordPtr> versions(std::string_view node) const;
};

}  // namespace stele::tests
