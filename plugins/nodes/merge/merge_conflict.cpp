#include "merge/merge_conflict.hpp"

namespace stele::nodes {

std::string_view conflict_name(ConflictKind kind) {
    switch (kind) {
        case ConflictKind::value:
            return "value";
        case ConflictKind::attachment:
            return "attachment";
        case ConflictKind::delete_edit:
            return "delete-edit";
        case ConflictKind::edit_delete:
            return "edit-delete";
        case ConflictKind::move:
            return "move";
        case ConflictKind::name:
            return "name";
        case ConflictKind::qname:
            return "qname";
        case ConflictKind::end_gone:
            return "end-gone";
        case ConflictKind::owner:
            return "owner";
        case ConflictKind::translation:
            return "translation";
        case ConflictKind::circle:
            break;
    }
    return "circle";
}

sdk::Json MergeConflict::json() const {
    sdk::Json json = {
        {"nodeId", node}, {"kind", conflict_name(kind)}, {"path", path}, {"message", sentence}};
    if (base) json["base"] = *base;
    if (source) json["source"] = *source;
    if (target) json["target"] = *target;
    return json;
}

std::optional<ConflictRule> find_conflict_rule(std::string_view name) {
    if (name.empty() || name == "manual") return ConflictRule::manual;
    if (name == "source") return ConflictRule::source;
    if (name == "target") return ConflictRule::target;
    if (name == "newest") return ConflictRule::newest;
    return std::nullopt;
}

std::optional<Side> Chooser::choose(std::int64_t source_ms, std::int64_t target_ms) const {
    switch (rule_) {
        case ConflictRule::source:
            return Side::source;
        case ConflictRule::target:
            return Side::target;
        case ConflictRule::newest:
            return source_ms > target_ms ? Side::source : Side::target;
        case ConflictRule::manual:
            break;
    }
    return std::nullopt;
}

}  // namespace stele::nodes
