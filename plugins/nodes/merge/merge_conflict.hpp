#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/permission.hpp>

#include "merge/value_merge.hpp"

namespace stele::nodes {

/// What two branches may have made that does not go together (docs/reference/merge.md).
enum class ConflictKind : std::uint8_t {
    value,        ///< both changed a member, to different values
    attachment,   ///< both changed an attachment
    delete_edit,  ///< deleted on the source, edited on the target
    edit_delete,  ///< edited on the source, deleted on the target
    move,         ///< both moved a node, into different folders
    name,         ///< a folder would have two nodes of one name
    qname,        ///< two nodes would have one QName
    end_gone,     ///< an association that one side made has an end that the other one deleted
    owner,        ///< a node would have two owners
    translation,  ///< a node would have two translations for one locale and edition
    circle,       ///< folders or owners would lie in one another
};
/// `value`, `attachment`, `delete-edit`, `edit-delete`, `move`, `name`, `qname`, `end-gone`,
/// `owner`, `translation`, `circle`.
std::string_view conflict_name(ConflictKind kind);
/// Nothing for other words.
std::optional<ConflictKind> find_conflict_kind(std::string_view name);

/// What a decision for the source needs on a node of the target, beside the conflict's own.
struct ConflictWrite {
    std::string node;
    sdk::Permission permission = sdk::Permission::update;
};

struct MergeConflict {
    ConflictKind kind = ConflictKind::value;
    std::string node;
    /// A JSON pointer into the node; empty where it is about all of it.
    std::string path;
    /// What the value is in each, or the ids of folders; nothing where there is none.
    std::optional<sdk::Json> base;
    std::optional<sdk::Json> source;
    std::optional<sdk::Json> target;
    /// For people.
    std::string sentence;
    /// What else tells it apart from others of its node: a folder, a locale.
    std::string about = {};
    /// What it follows from beside its values: ids of nodes and associations.
    std::vector<std::string> because = {};
    std::vector<ConflictWrite> writes = {};
    /// Nobody can have what the source has.
    bool is_for_target = false;

    sdk::Json json() const;
    /// The same in each merge of the same branches.
    std::string key() const;
    /// Of what the sides have made: a decision holds as long as that is the same. The same for
    /// everybody, whatever of it they may read.
    std::string fingerprint() const;
};

/// What somebody has decided a conflict to.
struct ConflictDecision {
    ValueChoice choice;
    /// `MergeConflict::fingerprint` of what they have seen.
    std::string fingerprint;
};
/// By `MergeConflict::key`.
using ConflictDecisions = std::map<std::string, ConflictDecision>;

/// Which side a conflict is decided for (the branch setting `autoConflictResolutionRule`).
enum class ConflictRule : std::uint8_t { manual, source, target, newest };
/// Nothing for other words.
std::optional<ConflictRule> find_conflict_rule(std::string_view name);

/// Decides conflicts: as people have, else by the rule of the branch that is merged into.
class Chooser {
public:
    explicit Chooser(ConflictRule rule, ConflictDecisions decisions = {})
        : rule_(rule), decisions_(std::move(decisions)) {}

    /// What people have decided; nothing where they have not, or of something else.
    std::optional<ValueChoice> decided(const MergeConflict& conflict) const;
    std::optional<Side> decided_side(const MergeConflict& conflict) const;
    /// By the rule: the side by when both have last written, epoch milliseconds; the target where
    /// both are as new. Nothing where people decide.
    std::optional<Side> by_rule(std::int64_t source_ms, std::int64_t target_ms) const;
    /// As people have decided, else by the rule.
    std::optional<Side> choose(const MergeConflict& conflict, std::int64_t source_ms,
                               std::int64_t target_ms) const;

    bool has_decisions() const { return !decisions_.empty(); }
    /// Keys of the conflicts that were met and decided by people.
    const std::set<std::string>& applied() const { return applied_; }
    /// Whether it never leaves anything of the source out.
    bool takes_all() const { return rule_ == ConflictRule::manual && decisions_.empty(); }

private:
    ConflictRule rule_;
    ConflictDecisions decisions_;
    mutable std::set<std::string> applied_;
};

}  // namespace stele::nodes
