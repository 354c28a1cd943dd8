#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

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

    sdk::Json json() const;
};

/// Which side a conflict is decided for (the branch setting `autoConflictResolutionRule`).
enum class ConflictRule : std::uint8_t { manual, source, target, newest };
/// Nothing for other words.
std::optional<ConflictRule> find_conflict_rule(std::string_view name);

/// Decides conflicts by the rule of the branch that is merged into.
class Chooser {
public:
    explicit Chooser(ConflictRule rule) : rule_(rule) {}

    /// The side by when both have last written, epoch milliseconds; the target where both are as
    /// new. Nothing where people decide.
    std::optional<Side> choose(std::int64_t source_ms, std::int64_t target_ms) const;

    /// Whether it never leaves anything of the source out.
    bool is_manual() const { return rule_ == ConflictRule::manual; }

private:
    ConflictRule rule_;
};

}  // namespace stele::nodes
