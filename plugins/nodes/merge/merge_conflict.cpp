#include "merge/merge_conflict.hpp"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::nodes {

namespace {

constexpr std::pair<ConflictKind, std::string_view> kNames[] = {
    {ConflictKind::value, "value"},
    {ConflictKind::attachment, "attachment"},
    {ConflictKind::delete_edit, "delete-edit"},
    {ConflictKind::edit_delete, "edit-delete"},
    {ConflictKind::move, "move"},
    {ConflictKind::name, "name"},
    {ConflictKind::qname, "qname"},
    {ConflictKind::end_gone, "end-gone"},
    {ConflictKind::owner, "owner"},
    {ConflictKind::translation, "translation"},
    {ConflictKind::circle, "circle"},
};

std::string digest(const sdk::Json& parts) {
    return sdk::hex_text(sdk::sha256(sdk::dump_json(parts)));
}

sdk::Json value_or_nothing(const std::optional<sdk::Json>& value) {
    return value ? sdk::Json::array({*value}) : sdk::Json::array();
}

}  // namespace

std::string_view conflict_name(ConflictKind kind) {
    const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                           [kind](const auto& one) { return one.first == kind; });
    return found->second;
}

std::optional<ConflictKind> find_conflict_kind(std::string_view name) {
    for (const auto& [kind, known] : kNames) {
        if (known == name) return kind;
    }
    return std::nullopt;
}

std::string MergeConflict::key() const {
    return digest({conflict_name(kind), node, path, about});
}

std::string MergeConflict::fingerprint() const {
    // Of these, what is on the target is shown to those only who may read it.
    const bool may_be_hidden =
        kind == ConflictKind::name || kind == ConflictKind::qname || kind == ConflictKind::move;
    return digest({value_or_nothing(base), value_or_nothing(source),
                   may_be_hidden ? sdk::Json() : value_or_nothing(target), because});
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

std::optional<ValueChoice> Chooser::decided(const MergeConflict& conflict) const {
    if (decisions_.empty()) return std::nullopt;
    const auto found = decisions_.find(conflict.key());
    if (found == decisions_.end() || found->second.fingerprint != conflict.fingerprint())
        return std::nullopt;
    applied_.insert(found->first);
    return found->second.choice;
}

std::optional<Side> Chooser::decided_side(const MergeConflict& conflict) const {
    const auto choice = decided(conflict);
    return choice ? std::optional(choice->side) : std::nullopt;
}

std::optional<Side> Chooser::choose(const MergeConflict& conflict, std::int64_t source_ms,
                                    std::int64_t target_ms) const {
    const auto side = decided_side(conflict);
    return side ? side : by_rule(source_ms, target_ms);
}

std::optional<Side> Chooser::by_rule(std::int64_t source_ms, std::int64_t target_ms) const {
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
