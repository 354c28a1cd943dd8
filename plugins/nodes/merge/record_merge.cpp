#include "merge/record_merge.hpp"

#include <set>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kAttachmentPath[] = "/_system/attachments/";

bool is_same_value(const sdk::Json* one, const sdk::Json* other) {
    if (one == nullptr || other == nullptr) return one == other;
    return sdk::is_same_json(*one, *other);
}

const sdk::Json* member_of(const sdk::Json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::optional<sdk::Json> copy_if_there(const sdk::Json* value) {
    return value == nullptr ? std::nullopt : std::optional(*value);
}

ValueConflictKind attachment_conflict(const sdk::Json* base, const sdk::Json* source,
                                      const sdk::Json* target) {
    if (base == nullptr) return ValueConflictKind::both_added;
    if (source == nullptr) return ValueConflictKind::removed_on_source;
    return target == nullptr ? ValueConflictKind::removed_on_target
                             : ValueConflictKind::both_changed;
}

/// Merges the attachments of one id; null where there is to be none.
const sdk::Json* merge_attachment(const std::string& id, const sdk::Json* base,
                                  const sdk::Json* source, const sdk::Json* target,
                                  const ValueChooser& choose,
                                  std::vector<ValueConflict>& conflicts) {
    if (is_same_value(source, target) || is_same_value(base, source)) return target;
    if (is_same_value(base, target)) return source;
    ValueConflict conflict{attachment_path(id), copy_if_there(base), copy_if_there(source),
                           copy_if_there(target), attachment_conflict(base, source, target)};
    const auto choice = choose ? choose(conflict) : std::nullopt;
    if (choice) return choice->side == Side::source ? source : target;
    conflicts.push_back(std::move(conflict));
    return target;
}

}  // namespace

namespace {

void name_node_of(std::string_view address, sdk::Json& element) {
    if (!element.is_object()) return;
    const auto ref = element.find(kElementRef);
    const std::string own = sdk::text_member(element, kElementId);
    if (ref == element.end() || !ref->is_string() || own.empty()) return;
    const std::string_view repository =
        address.substr(0, address.rfind('/', address.size() - 2) + 1);
    const std::string_view named = ref->get_ref<const std::string&>();
    if (!named.starts_with(repository)) return;
    const std::string_view branch_and_id = named.substr(repository.size());
    const std::size_t slash = branch_and_id.find('/');
    if (slash == std::string_view::npos || branch_and_id.substr(slash + 1) != own) return;
    *ref = std::string(address) + own;
}

}  // namespace

void name_nodes_of(std::string_view address, const std::vector<std::string>& paths,
                   sdk::Json& part) {
    for (const std::string& path : paths) {
        sdk::Json* const value = property_at(part, path);
        if (value == nullptr) continue;
        if (!value->is_array()) {
            name_node_of(address, *value);
            continue;
        }
        for (sdk::Json& element : *value)
            name_node_of(address, element);
    }
}

sdk::Json merged_part(const sdk::Json& record) {
    sdk::Json part = record;
    for (const char* name : {"_doc", member::kSystem, member::kStatistics, member::kPaths,
                             "source_changeset", "target_changeset"})
        part.erase(name);
    const auto system = record.find(member::kSystem);
    if (system == record.end() || !system->is_object()) return part;
    const auto attachments = system->find(member::kAttachments);
    const bool has_some =
        attachments != system->end() && attachments->is_object() && !attachments->empty();
    if (has_some) part[member::kSystem] = {{member::kAttachments, *attachments}};
    return part;
}

bool is_same_part(const std::optional<sdk::Json>& one, const std::optional<sdk::Json>& other) {
    return is_same_value(one ? &*one : nullptr, other ? &*other : nullptr);
}

sdk::Json attachments_in(const sdk::Json& part) {
    const auto system = part.find(member::kSystem);
    return system == part.end() ? sdk::Json::object() : system->at(member::kAttachments);
}

sdk::Json fields_in(sdk::Json part) {
    part.erase(member::kSystem);
    return part;
}

std::string attachment_path(std::string_view id) {
    return kAttachmentPath + std::string(id);
}

bool is_attachment_path(std::string_view path) {
    return path.starts_with(kAttachmentPath);
}

ValueMerge merge_records(const sdk::Json* base, const sdk::Json& source, const sdk::Json& target,
                         const ValueMergeOptions& options) {
    const sdk::Json base_fields = base ? fields_in(*base) : sdk::Json();
    ValueMerge merge =
        merge_values(base ? &base_fields : nullptr, fields_in(source), fields_in(target), options);
    const sdk::Json befores = base ? attachments_in(*base) : sdk::Json::object();
    const sdk::Json sources = attachments_in(source);
    const sdk::Json targets = attachments_in(target);
    std::set<std::string> ids;
    for (const sdk::Json* side : {&sources, &targets}) {
        for (const auto& [id, attachment] : side->items())
            ids.insert(id);
    }
    sdk::Json kept = sdk::Json::object();
    for (const std::string& id : ids) {
        const sdk::Json* const found =
            merge_attachment(id, member_of(befores, id), member_of(sources, id),
                             member_of(targets, id), options.choose, merge.conflicts);
        if (found != nullptr) kept[id] = *found;
    }
    merge.changes_target = merge.changes_target || !sdk::is_same_json(kept, targets);
    if (!kept.empty()) merge.merged[member::kSystem] = {{member::kAttachments, std::move(kept)}};
    return merge;
}

std::optional<sdk::Json> join_records(const std::optional<sdk::Json>& base,
                                      const std::optional<sdk::Json>& one,
                                      const std::optional<sdk::Json>& other) {
    if (is_same_part(one, other) || is_same_part(base, other)) return one;
    if (is_same_part(base, one)) return other;
    if (!one || !other) return one ? one : other;
    ValueMergeOptions options;
    options.choose = [](const ValueConflict&) { return Side::source; };
    return merge_records(base ? &*base : nullptr, *one, *other, options).merged;
}

}  // namespace stele::nodes
