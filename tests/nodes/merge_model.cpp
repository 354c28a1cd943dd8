#include "tests/nodes/merge_model.hpp"

#include <algorithm>
#include <iterator>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

namespace stele::tests {

using sdk::Json;

namespace {

using CopiedRecord = std::optional<Json>;

CopiedRecord record_in(const WholeCopy& copy, const std::string& id) {
    const auto found = copy.find(id);
    return found == copy.end() ? CopiedRecord() : CopiedRecord(found->second);
}

bool is_same(const CopiedRecord& one, const CopiedRecord& other) {
    if (!one || !other) return !one && !other;
    return sdk::is_same_json(*one, *other);
}

CopiedRecord member_in(const CopiedRecord& record, const std::string& name) {
    if (!record || !record->contains(name)) return {};
    return CopiedRecord(record->at(name));
}

bool joins(const Json& record) {
    return record.value("_is_association", false);
}

bool is_membership(const Json& record) {
    return joins(record) && record.value("_type", "") == "a:child";
}

std::string end_of(const Json& record, const char* end) {
    return record.value(end, "");
}

/// Member by member; how many both have changed to different values, of which the first holds.
Json merge_members(const CopiedRecord& base, const Json& one, const Json& other,
                   std::size_t& conflicts) {
    std::set<std::string> names;
    for (const Json* side : {&one, &other}) {
        for (const auto& [name, value] : side->items())
            names.insert(name);
    }
    Json merged = Json::object();
    for (const std::string& name : names) {
        const CopiedRecord before = member_in(base, name);
        const CopiedRecord first = member_in(CopiedRecord(one), name);
        const CopiedRecord second = member_in(CopiedRecord(other), name);
        const bool is_firsts = is_same(first, second) || is_same(before, second);
        if (!is_firsts && !is_same(before, first)) ++conflicts;
        const CopiedRecord& holds = !is_firsts && is_same(before, first) ? second : first;
        if (holds) merged[name] = *holds;
    }
    return merged;
}

std::set<std::string> ids_of(std::initializer_list<const WholeCopy*> copies) {
    std::set<std::string> ids;
    for (const WholeCopy* copy : copies) {
        for (const auto& [id, record] : *copy)
            ids.insert(id);
    }
    return ids;
}

WholeCopy join_copies(const WholeCopy& base, const WholeCopy& one, const WholeCopy& other) {
    WholeCopy joined;
    for (const std::string& id : ids_of({&base, &one, &other})) {
        const CopiedRecord before = record_in(base, id);
        const CopiedRecord first = record_in(one, id);
        const CopiedRecord second = record_in(other, id);
        CopiedRecord holds = first;
        std::size_t conflicts = 0;
        if (is_same(before, first))
            holds = second;
        else if (!is_same(before, second) && first && second)
            holds = merge_members(before, *first, *second, conflicts);
        else if (!is_same(before, second) && !first)
            holds = second;
        if (holds) joined[id] = *holds;
    }
    return joined;
}

/// One merge, step by step.
class Merging {
public:
    Merging(const WholeCopy& base, const WholeCopy& source, const WholeCopy& target,
            Preference preference)
        : base_(base), source_(source), target_(target), preference_(preference) {}

    NaiveMerge run() {
        for (const std::string& id : ids_of({&base_, &source_, &target_}))
            decide(id);
        check_ends();
        check_removals();
        check_moves();
        merge_.merged = target_;
        for (const auto& [id, record] : steps_) {
            if (record)
                merge_.merged[id] = *record;
            else
                merge_.merged.erase(id);
        }
        merge_.steps = steps_.size();
        look_for_namesakes();
        look_for_circles();
        return std::move(merge_);
    }

private:
    void conflict(const char* kind, const std::string& id) { merge_.conflicts.emplace(kind, id); }
    bool is_removed(const std::string& id) const {
        const auto step = steps_.find(id);
        return step != steps_.end() && !step->second;
    }
    bool will_exist(const std::string& id) const {
        const auto step = steps_.find(id);
        return step != steps_.end() ? step->second.has_value() : target_.contains(id);
    }

    void decide(const std::string& id) {
        const CopiedRecord base = record_in(base_, id);
        const CopiedRecord source = record_in(source_, id);
        const CopiedRecord target = record_in(target_, id);
        if (is_same(base, source)) return;
        if (is_same(source, target)) {
            if (!source && is_membership(*base)) left_by_both_.insert(end_of(*base, "target"));
            return;
        }
        if (is_same(base, target)) {
            steps_[id] = source;
        } else if (!source) {
            conflict("delete-edit", id);
        } else if (!target) {
            conflict("edit-delete", id);
        } else {
            std::size_t conflicts = 0;
            const bool is_sources = preference_ == Preference::source;
            const Json merged = merge_members(base, is_sources ? *source : *target,
                                              is_sources ? *target : *source, conflicts);
            for (; conflicts > 0 && preference_ == Preference::none; --conflicts)
                conflict("value", id);
            if (!sdk::is_same_json(merged, *target)) steps_[id] = merged;
        }
    }

    std::vector<std::string> new_associations() const {
        std::vector<std::string> found;
        for (const auto& [id, record] : steps_) {
            if (record && !target_.contains(id) && joins(*record)) found.push_back(id);
        }
        return found;
    }

    void check_ends() {
        for (const std::string& id : new_associations()) {
            const Json record = *steps_[id];
            if (!will_exist(end_of(record, "source")) || !will_exist(end_of(record, "target"))) {
                conflict("end-gone", id);
                steps_.erase(id);
            } else if (is_second_translation(record)) {
                conflict("translation", end_of(record, "source"));
                steps_.erase(id);
            }
        }
    }

    /// Of a node, into a locale that the target has it in.
    bool is_second_translation(const Json& record) const {
        if (record.value("_type", "") != "a:has_translation") return false;
        return std::any_of(target_.begin(), target_.end(), [&](const auto& at) {
            const Json& other = at.second;
            return other.value("_type", "") == "a:has_translation" && !is_removed(at.first) &&
                   end_of(other, "source") == end_of(record, "source") &&
                   other.value("locale", "") == record.value("locale", "");
        });
    }

    void check_removals() {
        std::vector<std::string> nodes;
        for (const auto& [id, record] : steps_) {
            if (!record && !joins(target_.at(id))) nodes.push_back(id);
        }
        for (const std::string& node : nodes) {
            std::vector<std::string> own;
            bool has_new = false;
            for (const auto& [id, record] : target_) {
                if (!joins(record)) continue;
                if (end_of(record, "source") != node && end_of(record, "target") != node) continue;
                own.push_back(id);
                has_new = has_new || (!is_removed(id) && !base_.contains(id));
            }
            if (!has_new) continue;
            conflict("end-gone", node);
            steps_.erase(node);
            for (const std::string& id : own) {
                const Json& record = target_.at(id);
                const std::string& other = end_of(record, "source") == node
                                               ? end_of(record, "target")
                                               : end_of(record, "source");
                if (is_removed(id) && will_exist(other)) steps_.erase(id);
            }
        }
    }

    void check_moves() {
        std::map<std::string, std::vector<std::string>> moved;
        for (const std::string& id : new_associations()) {
            if (is_membership(*steps_[id])) moved[end_of(*steps_[id], "target")].push_back(id);
        }
        for (const auto& [node, added] : moved) {
            const bool is_moved_here =
                std::any_of(target_.begin(), target_.end(), [&, &node = node](const auto& at) {
                    return is_membership(at.second) && end_of(at.second, "target") == node &&
                           !base_.contains(at.first) && !source_.contains(at.first);
                });
            if (!is_moved_here || !left_by_both_.contains(node)) continue;
            conflict("move", node);
            for (const std::string& id : added)
                steps_.erase(id);
        }
    }

    void look_for_namesakes() {
        std::map<std::pair<std::string, std::string>, std::set<std::string>> names;
        for (const auto& [id, record] : merge_.merged) {
            if (!is_membership(record)) continue;
            const std::string node = end_of(record, "target");
            const auto found = merge_.merged.find(node);
            if (found == merge_.merged.end()) continue;
            names[{end_of(record, "source"), found->second.value("title", node)}].insert(node);
        }
        merge_.has_namesakes = std::any_of(
            names.begin(), names.end(), [](const auto& place) { return place.second.size() > 1; });
    }

    void look_for_circles() {
        std::map<std::string, std::set<std::string>> above;
        for (const auto& [id, record] : merge_.merged) {
            if (is_membership(record))
                above[end_of(record, "target")].insert(end_of(record, "source"));
        }
        for (const auto& [node, folders] : above) {
            std::set<std::string> known;
            std::vector<std::string> reached(folders.begin(), folders.end());
            while (!reached.empty()) {
                const std::string at = reached.back();
                reached.pop_back();
                if (!known.insert(at).second) continue;
                reached.insert(reached.end(), above[at].begin(), above[at].end());
            }
            merge_.has_circle = merge_.has_circle || known.contains(node);
        }
    }

    const WholeCopy& base_;
    const WholeCopy& source_;
    const WholeCopy& target_;
    const Preference preference_;
    /// Nothing for what goes.
    std::map<std::string, CopiedRecord> steps_;
    std::set<std::string> left_by_both_;
    NaiveMerge merge_;
};

}  // namespace

CopiedHistory::Number CopiedHistory::add(std::optional<Number> former, Set brought,
                                         WholeCopy copy) {
    commits_.push_back({former, std::move(brought), std::move(copy)});
    return commits_.size() - 1;
}

CopiedHistory::Set CopiedHistory::ancestors(Number number) const {
    const Commit& commit = commits_[number];
    Set found = commit.former ? ancestors(*commit.former) : Set();
    found.insert(number);
    found.insert(commit.brought.begin(), commit.brought.end());
    return found;
}

WholeCopy CopiedHistory::common_copy(const Set& one, const Set& other) const {
    Set common;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                          std::inserter(common, common.end()));
    std::vector<Number> nearest;
    for (const Number number : common) {
        const bool is_behind = std::any_of(common.begin(), common.end(), [&](Number later) {
            return later != number && ancestors(later).contains(number);
        });
        if (!is_behind) nearest.insert(nearest.begin(), number);
    }
    if (nearest.empty()) return {};
    WholeCopy joined = copy(nearest.front());
    Set behind = ancestors(nearest.front());
    for (std::size_t i = 1; i < nearest.size(); ++i) {
        Set own = ancestors(nearest[i]);
        joined = join_copies(common_copy(behind, own), joined, copy(nearest[i]));
        behind.merge(own);
    }
    return joined;
}

NaiveMerge merge_copies(const WholeCopy& base, const WholeCopy& source, const WholeCopy& target,
                        Preference preference) {
    return Merging(base, source, target, preference).run();
}

}  // namespace stele::tests
