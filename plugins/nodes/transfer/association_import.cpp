#include "transfer/association_import.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "history/node_relations.hpp"
#include "relation/property_resolver.hpp"
#include "relation/relators.hpp"
#include "transfer/tree_matching.hpp"

namespace stele::nodes {

sdk::Result<void> AssociationImport::bring(const sdk::ContentItem& item) {
    sdk::Json fields = RecordImport::fields_of(item);
    if (auto rewritten = links_.rewrite(item.id, fields); !rewritten) return rewritten.error();
    if (state_.is_clone()) {
        auto present = records_.find_present(item.id, true);
        if (!present) return present.error();
        if (*present) return update(item, **present, std::move(fields));
    }
    for (const char* end : {member::kSource, member::kTarget})
        fields[end] = state_.substituted(sdk::text_member(item.fields, end));
    auto ends = find_ends(item, fields);
    if (!ends) return ends.error();
    if (!*ends) return {};
    return make(item, std::move(fields), **ends);
}

sdk::Result<std::optional<AssociationImport::Ends>> AssociationImport::find_ends(
    const sdk::ContentItem& item, const sdk::Json& fields) {
    auto source = find_end(item.id, sdk::text_member(fields, member::kSource));
    if (!source) return source.error();
    if (!*source) return std::optional<Ends>();
    auto target = find_end(item.id, sdk::text_member(fields, member::kTarget));
    if (!target) return target.error();
    if (!*target) return std::optional<Ends>();
    return std::optional<Ends>({std::move(**source), std::move(**target)});
}

sdk::Result<std::optional<sdk::Document>> AssociationImport::find_end(const std::string& item,
                                                                      const std::string& id) {
    auto resolved = state_.resolve(id);
    if (!resolved) return resolved.error();
    // What stands for an item here need not be anything that whoever acts may know.
    auto is_known = resolved->id.empty() ? sdk::Result<bool>(false) : is_made(resolved->id);
    if (is_known && !*is_known && !resolved->id.empty()) is_known = state_.is_present(resolved->id);
    if (!is_known) return is_known.error();
    if (!*is_known) {
        if (auto dropped = state_.drop_link(item, id); !dropped) return dropped.error();
        return std::optional<sdk::Document>();
    }
    auto node = read(resolved->id);
    if (!node) return node.error();
    return std::optional<sdk::Document>(std::move(*node));
}

sdk::Result<sdk::Document> AssociationImport::read(const std::string& id) {
    if (last_source_ && last_source_->id == id) return *last_source_;
    return content_.node(id);
}

sdk::Result<void> AssociationImport::update(const sdk::ContentItem& item,
                                            const sdk::Document& present, sdk::Json fields) {
    const std::string type = sdk::text_member(fields, member::kType);
    if (!type.empty() && type != sdk::text_member(present.fields, member::kType))
        state_.note(fmt::format("{} keeps the type {} that it has here", sdk::shown_path(item.id),
                                sdk::text_member(present.fields, member::kType)));
    auto brought = records_.update(item, present, std::move(fields));
    if (!brought) return brought.error();
    ++(*brought == Brought::skipped ? state_.report.skipped : state_.report.associations);
    return {};
}

sdk::Result<void> AssociationImport::require_ends(const std::string& type, const Ends& ends) {
    auto is_new_source = is_made(ends.source.id);
    if (!is_new_source) return is_new_source.error();
    auto is_new_target = is_made(ends.target.id);
    if (!is_new_target) return is_new_target.error();
    const auto asked = std::make_pair(ends.source.id, type);
    // What is joined from it changes the rights on others, not on itself.
    const bool is_required = !*is_new_source && last_required_ != asked;
    auto may = nodes::require_ends(content_, type, is_required ? &ends.source : nullptr,
                                   *is_new_target ? nullptr : &ends.target);
    if (!may) return may;
    if (is_required) last_required_ = asked;
    return {};
}

sdk::Result<bool> AssociationImport::may_name(const Relator& relator, const std::string& id) {
    if (asked_++ % kMaxTargets == 0) targets_.emplace(content_);
    auto target = targets_->find(id);
    if (!target) return target.error();
    if (*target == nullptr) return false;
    return targets_->is_of(**target, relator.node_type);
}

sdk::Result<bool> AssociationImport::is_said(const sdk::Json& association, const Ends& ends) {
    const std::string path = relation_path(association);
    const std::string type = sdk::text_member(association, member::kType);
    if (!NamedNodes(ends.source.fields).contains(path, ends.target.id)) return false;
    auto relators = this->relators(ends.source.fields);
    if (!relators) return relators.error();
    for (const Relator& relator : **relators) {
        if (relator.path == path && relator.type == type) return may_name(relator, ends.target.id);
    }
    return false;
}

sdk::Result<std::optional<std::string>> AssociationImport::find_same(const sdk::Json& fields,
                                                                     const Ends& ends,
                                                                     bool is_undirected) const {
    const std::string type = sdk::text_member(fields, member::kType);
    const std::string path = relation_path(fields);
    for (const sdk::Document* const end : {&ends.source, &ends.target}) {
        auto is_new = is_made(end->id);
        if (!is_new) return is_new.error();
        if (*is_new) return std::optional<std::string>();
    }
    if (is_relation(fields)) {
        auto present = relations_of(content_, ends.source.id, {type});
        if (!present) return present.error();
        return present->contains({type, path, ends.target.id})
                   ? std::optional<std::string>(std::string())
                   : std::nullopt;
    }
    const bool is_place = type == association::kChild || type == association::kOwned;
    if (state_.is_clone() && !is_place) return std::optional<std::string>();
    return find_joined(content_, {.association = {},
                                  .type = type,
                                  .source = ends.source.id,
                                  .target = ends.target.id,
                                  .is_undirected = is_undirected});
}

sdk::Result<void> AssociationImport::make(const sdk::ContentItem& item, sdk::Json fields,
                                          const Ends& ends) {
    const bool is_undirected = sdk::text_member(fields, member::kDirectionality) == kUndirected;
    const std::string type = sdk::text_member(fields, member::kType);
    const bool is_relation = nodes::is_relation(fields);
    auto same = find_same(fields, ends, is_undirected);
    if (!same) return same.error();
    if (*same) {
        ++state_.report.skipped;
        return (*same)->empty() ? sdk::Result<void>() : state_.report.ids.put(item.id, **same);
    }
    if (is_relation) {
        auto said = is_said(fields, ends);
        if (!said) return said.error();
        if (!*said) {
            state_.note(fmt::format("{} stands for a property that does not name its target",
                                    sdk::shown_path(item.id)));
            return {};
        }
    }
    if (auto may = require_ends(type, ends); !may) return may;
    sdk::Document target = ends.target;
    if (type == association::kChild && !is_undirected) {
        auto is_renamed = fit_name(state_, ends.source.id, target);
        if (!is_renamed) return is_renamed.error();
        if (*is_renamed) {
            auto renamed = content_.node(target.id);
            if (!renamed) return renamed.error();
            target = std::move(*renamed);
        }
    }
    std::optional<Raised> in_step;
    if (is_relation) in_step.emplace(content_.changes().relations().are_in_step);
    auto brought =
        records_.bring_association(item, std::move(fields), ends.source, target, is_undirected);
    if (!brought) return brought.error();
    ++state_.report.associations;
    if (!last_source_ || last_source_->id != ends.source.id) last_source_ = ends.source;
    // Whoever lies below another node from now on may have other rights on what lies below it.
    if (last_required_ && last_required_->first != ends.source.id) last_required_.reset();
    return {};
}

sdk::Result<const std::vector<Relator>*> AssociationImport::relators(const sdk::Json& node) {
    const std::string type = sdk::text_member(node, member::kType);
    auto known = relators_.find(type);
    if (known == relators_.end()) {
        auto found = relators_of(content_, node);
        if (!found) return found.error();
        if (relators_.size() == kMaxTypes) relators_.clear();
        known = relators_.emplace(type, std::move(*found)).first;
    }
    return &known->second;
}

sdk::Result<void> AssociationImport::relate(const std::string& node) {
    auto source = content_.node(node);
    if (!source) return source.error();
    if (!may_have_elements(source->fields)) return {};
    auto relators = this->relators(source->fields);
    if (!relators) return relators.error();
    if ((*relators)->empty()) return {};
    std::set<std::string> types;
    for (const Relator& relator : **relators)
        types.insert(relator.type);
    auto present = relations_of(content_, node, types);
    if (!present) return present.error();
    for (const Relator& relator : **relators) {
        const auto elements = elements_of(property_at(source->fields, relator.path));
        // More than a write may name newly are text, as they are where they were there before their
        // definition.
        if (elements.size() > kMaxElements) continue;
        for (const sdk::Json* element : elements) {
            const std::string id = named_node(*element);
            if (id.empty() || !present->insert({relator.type, relator.path, id}).second) continue;
            auto joined = join(*source, relator, id);
            if (!joined) return of_property(relator.path, joined.error());
        }
    }
    return {};
}

sdk::Result<void> AssociationImport::join(const sdk::Document& source, const Relator& relator,
                                          const std::string& id) {
    auto may = may_name(relator, id);
    if (!may) return may.error();
    if (!*may) {
        state_.note(fmt::format("the property \"{}\" of {} only says {}, which it may not name",
                                sdk::shown_path(relator.path), source.id, sdk::shown_path(id)));
        return {};
    }
    if (auto counted = count_relation(content_.changes()); !counted) return counted;
    auto target = content_.node(id);
    if (!target) return target.error();
    auto joined = nodes::relate(content_, source, *target, relator.type, relator.path);
    if (!joined) return joined.error();
    ++state_.report.associations;
    return {};
}

}  // namespace stele::nodes
