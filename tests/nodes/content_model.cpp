#include "tests/nodes/content_model.hpp"

#include <algorithm>

#include <stele/sdk/members.hpp>

namespace stele::tests {

using sdk::Json;

namespace {

constexpr char kOwned[] = "a:owned";

bool is_held(const ModelState& state, std::string_view node, const char* type,
             const std::set<std::string>& going) {
    for (const ModelRecordPtr& holder : state.incoming(node, type)) {
        if (!going.contains(holder->source)) return true;
    }
    return false;
}

void add_paths(const ModelState& state, std::string_view node, std::string_view root,
               const std::string& below, std::set<std::string>& passed,
               std::set<std::string>& found) {
    if (node == root) {
        found.insert(below.empty() ? "/" : below);
        return;
    }
    if (!passed.emplace(node).second) return;
    const std::string path = "/" + state.records.at(std::string(node))->name() + below;
    for (const ModelRecordPtr& membership : state.incoming(node, kMembership))
        add_paths(state, membership->source, root, path, passed, found);
    passed.erase(std::string(node));
}

}  // namespace

std::string ModelRecord::text(std::string_view member) const {
    return sdk::text_member(fields, member);
}

bool ModelRecord::is_container() const {
    const auto features = fields.find("_features");
    return features != fields.end() && features->contains("f:container");
}

std::string ModelRecord::name() const {
    const std::string title = text("title");
    return title.empty() ? id : title;
}

ModelRecordPtr keep(ModelRecord record) {
    record.type = record.text("_type");
    record.is_association = record.fields.value("_is_association", false);
    if (record.is_association) {
        record.source = record.text("source");
        record.target = record.text("target");
        record.is_undirected = record.text("directionality") == "UNDIRECTED";
    }
    return std::make_shared<const ModelRecord>(std::move(record));
}

std::vector<ModelRecordPtr> ModelState::associations(std::string_view node) const {
    std::vector<ModelRecordPtr> found;
    for (const auto& [id, record] : records) {
        if (record->is_association && (record->source == node || record->target == node))
            found.push_back(record);
    }
    return found;
}

std::vector<ModelRecordPtr> ModelState::incoming(std::string_view node,
                                                 std::string_view type) const {
    std::vector<ModelRecordPtr> found;
    for (const ModelRecordPtr& one : associations(node)) {
        if (!one->is_undirected && one->target == node && one->type == type) found.push_back(one);
    }
    return found;
}

std::vector<ModelRecordPtr> ModelState::outgoing(std::string_view node,
                                                 std::string_view type) const {
    std::vector<ModelRecordPtr> found;
    for (const ModelRecordPtr& one : associations(node)) {
        if (!one->is_undirected && one->source == node && one->type == type) found.push_back(one);
    }
    return found;
}

std::vector<std::string> ModelState::children(std::string_view folder) const {
    std::vector<std::string> found;
    for (const ModelRecordPtr& one : outgoing(folder, kMembership)) {
        if (std::find(found.begin(), found.end(), one->target) == found.end())
            found.push_back(one->target);
    }
    return found;
}

bool ModelState::has_other_member(std::string_view folder, const std::string& node) const {
    const std::string name = records.at(node)->name();
    const auto members = outgoing(folder, kMembership);
    return std::any_of(members.begin(), members.end(), [&](const ModelRecordPtr& one) {
        return one->target != node && records.at(one->target)->name() == name;
    });
}

bool ModelState::has_namesake(const std::string& node) const {
    const auto places = incoming(node, kMembership);
    return std::any_of(places.begin(), places.end(), [&](const ModelRecordPtr& place) {
        return has_other_member(place->source, node);
    });
}

std::string ModelState::root() const {
    const auto found = std::find_if(records.begin(), records.end(), [](const auto& entry) {
        return entry.second->text("_qname") == "r:root";
    });
    return found->first;
}

bool ModelState::is_unfit(const ModelRecord& association) const {
    const bool contains = association.type == kMembership || association.type == kOwned;
    if (association.is_undirected || !contains) return false;
    if (association.type == kMembership && has_other_member(association.source, association.target))
        return true;
    // Everything that holds the source, in whatever way; a circle holds its own target.
    std::set<std::string> above{association.source};
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const std::string& id : std::set<std::string>(above)) {
            for (const char* type : {kOwned, kMembership}) {
                for (const ModelRecordPtr& one : incoming(id, type))
                    has_grown |= above.insert(one->source).second;
            }
        }
    }
    if (above.contains(association.target)) return true;
    if (association.type != kOwned) return false;
    const auto owners = incoming(association.target, kOwned);
    return std::any_of(owners.begin(), owners.end(), [&association](const ModelRecordPtr& owner) {
        return owner->source != association.source;
    });
}

std::set<std::string> ModelState::paths(std::string_view node, std::string_view root) const {
    std::set<std::string> found;
    std::set<std::string> passed;
    add_paths(*this, node, root, {}, passed, found);
    return found;
}

std::set<std::string> ModelState::closure(std::string_view node) const {
    std::set<std::string> going{std::string(node)};
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const std::string& id : std::set<std::string>(going)) {
            for (const char* type : {kOwned, kMembership}) {
                if (type == kMembership && !records.at(id)->is_container()) continue;
                for (const ModelRecordPtr& one : outgoing(id, type)) {
                    if (is_held(*this, one->target, type, going)) continue;
                    has_grown |= going.insert(one->target).second;
                }
            }
        }
    }
    return going;
}

std::string ModelChange::made_up_id() {
    // Behind every id of the server.
    return "z" + std::to_string(next_++);
}

void ModelChange::put(const std::string& id, Json fields) {
    has_changes_ = true;
    ModelRecord record;
    record.id = id;
    record.fields = std::move(fields);
    record.created_by = record.modified_by = user_;
    if (const auto before = state_.records.find(id); before != state_.records.end()) {
        const ModelRecord& old = *before->second;
        record.created_by = old.created_by;
        record.previous = old.changeset.empty() ? old.previous : old.changeset;
    }
    state_.records[id] = keep(std::move(record));
}

std::string ModelChange::create_node(Json fields) {
    const std::string id = made_up_id();
    const Json nothing = Json::object();
    fields["_type"] = "n:node";
    fields["_features"] = {{"f:audit", nothing}, {"f:titled", nothing}, {"f:indexable", nothing}};
    fields["_is_association"] = false;
    put(id, std::move(fields));
    return id;
}

void ModelChange::update(const std::string& id, Json fields) {
    const Json& before = state_.records.at(id)->fields;
    for (const char* name : {"_type", "_qname", "_features", "_is_association"})
        fields[name] = before.at(name);
    put(id, std::move(fields));
    is_unfit_ |= state_.has_namesake(id);
}

void ModelChange::restore_version(const std::string& id, const ModelRecord& version) {
    put(id, version.fields);
    is_unfit_ |= state_.has_namesake(id);
}

void ModelChange::make_container(const std::string& id) {
    const ModelRecord& record = *state_.records.at(id);
    if (record.is_container()) return;
    Json fields = record.fields;
    fields["_features"]["f:container"] = Json::object();
    put(id, std::move(fields));
}

void ModelChange::associate(const std::string& source, const std::string& target,
                            const std::string& type, bool is_undirected) {
    const std::string id = made_up_id();
    unknown_.insert(id);
    const ModelRecord& from = *state_.records.at(source);
    const ModelRecord& to = *state_.records.at(target);
    Json fields = {{"_type", type},
                   {"_is_association", true},
                   {"_features", Json::object()},
                   {"directionality", is_undirected ? "UNDIRECTED" : "DIRECTED"},
                   {"source", source},
                   {"source_type", from.type},
                   {"target", target},
                   {"target_type", to.type}};
    if (!from.changeset.empty()) fields["source_changeset"] = from.changeset;
    if (!to.changeset.empty()) fields["target_changeset"] = to.changeset;
    ModelRecord made;
    made.fields = fields;
    is_unfit_ |= state_.is_unfit(*keep(std::move(made)));
    put(id, std::move(fields));
}

void ModelChange::bury(const std::string& id, bool goes_along) {
    has_changes_ = true;
    state_.deletions[id] = {state_.records.at(id), user_, {}, goes_along};
    state_.records.erase(id);
}

void ModelChange::remove(const std::string& id) {
    if (state_.records.at(id)->is_association) return bury(id, false);
    for (const std::string& gone : state_.closure(id)) {
        for (const ModelRecordPtr& association : state_.associations(gone))
            bury(association->id, true);
        bury(gone, gone != id);
    }
}

void ModelChange::dig_out(const std::string& id) {
    const ModelRecordPtr last = state_.deletions.at(id).last;
    state_.deletions.erase(id);
    has_changes_ = true;
    ModelRecord record = *last;
    record.modified_by = user_;
    record.previous = last->changeset;
    record.changeset.clear();
    is_unfit_ |= record.is_association && state_.is_unfit(record);
    state_.records[id] = keep(std::move(record));
}

void ModelChange::restore_deletion(const std::string& id) {
    dig_out(id);
    if (state_.records.at(id)->is_association) return;
    const auto deletions = state_.deletions;
    std::vector<std::string> lost_places;
    for (const auto& [association, deletion] : deletions) {
        const ModelRecord& last = *deletion.last;
        if (!last.is_association || (last.source != id && last.target != id)) continue;
        if (!deletion.went_along) continue;
        const bool is_place = last.type == kMembership && !last.is_undirected && last.target == id;
        if (!state_.records.contains(last.source) || !state_.records.contains(last.target)) {
            if (is_place) lost_places.push_back(association);
            continue;
        }
        dig_out(association);
    }
    if (lost_places.empty() || !state_.incoming(id, kMembership).empty()) return;
    for (const std::string& association : lost_places)
        state_.deletions.erase(association);
    const std::string root = state_.root();
    associate(root, id, kMembership, false);
}

void ModelChange::purge(const std::string& id) {
    has_changes_ = true;
    const bool is_node = !state_.deletions.at(id).last->is_association;
    state_.deletions.erase(id);
    if (!is_node) return;
    std::erase_if(state_.deletions, [&id](const auto& entry) {
        const ModelRecord& last = *entry.second.last;
        return last.is_association && (last.source == id || last.target == id);
    });
}

void ModelChange::purge_everything() {
    has_changes_ |= !state_.deletions.empty();
    state_.deletions.clear();
}

void ModelChange::rename(const std::string& made_up, const std::string& id) {
    unknown_.erase(made_up);
    const auto node = state_.records.extract(made_up);
    std::map<std::string, ModelRecordPtr> renamed;
    for (const auto& [old, record] : state_.records) {
        if (record->source != made_up && record->target != made_up) continue;
        ModelRecord changed = *record;
        for (const char* end : {"source", "target"}) {
            if (changed.text(end) == made_up) changed.fields[end] = id;
        }
        renamed[old] = keep(std::move(changed));
    }
    for (auto& [old, record] : renamed)
        state_.records[old] = std::move(record);
    ModelRecord record = *node.mapped();
    record.id = id;
    record.fields["_qname"] = "o:" + id;
    state_.records[id] = keep(std::move(record));
}

ModelState ModelChange::finish(const std::string& changeset) {
    for (auto& [id, record] : state_.records) {
        if (!record->changeset.empty()) continue;
        ModelRecord done = *record;
        done.changeset = changeset;
        record = keep(std::move(done));
    }
    for (auto& [id, deletion] : state_.deletions) {
        if (deletion.changeset.empty()) deletion.changeset = changeset;
    }
    return std::move(state_);
}

std::vector<ModelRecordPtr> ModelBranch::versions(std::string_view node) const {
    std::vector<ModelRecordPtr> found;
    for (const Point& point : points) {
        const auto record = point.state->records.find(std::string(node));
        if (record == point.state->records.end()) continue;
        if (found.empty() || found.back()->changeset != record->second->changeset)
            found.push_back(record->second);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace stele::tests
