#include "transfer/identities.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include "transfer/locations.hpp"

namespace stele::archives {

Identities::Identities(std::map<std::string, std::string> substitutions, std::string platform)
    : substitutions_(std::move(substitutions)), platform_(std::move(platform)) {}

void Identities::meet(const std::string& id, const std::string& id_here) {
    met_[id] = id_here;
    expected_.erase(id);
}

std::string Identities::here(const std::string& id) const {
    if (const auto told = substitutions_.find(id); told != substitutions_.end())
        return told->second;
    const auto met = met_.find(id);
    return met == met_.end() ? id : met->second;
}

std::string Identities::rewrite_text(std::string& text) const {
    if (const auto told = substitutions_.find(text); told != substitutions_.end()) {
        text = told->second;
        return {};
    }
    if (expected_.contains(text)) return text;
    if (const auto met = met_.find(text); met != met_.end()) {
        text = met->second;
        return {};
    }
    if (text.find("://") == std::string::npos) return {};
    ReferenceParts parts = reference_parts(text);
    bool is_ours = false;
    for (std::string& id : parts.ids) {
        if (expected_.contains(id)) return id;
        const auto met = met_.find(id);
        if (met == met_.end()) continue;
        is_ours = true;
        id = met->second;
    }
    if (!is_ours) return {};
    // Whatever platform it came from, what it names is here now.
    parts.ids.front() = platform_;
    text = parts.text();
    return {};
}

std::set<std::string> Identities::rewrite(sdk::Json& value) const {
    std::set<std::string> outstanding;
    rewrite(value, outstanding);
    return outstanding;
}

void Identities::rewrite(sdk::Json& value, std::set<std::string>& outstanding) const {
    if (value.is_string()) {
        // In a list it stays as it is until a second look.
        const std::string id = rewrite_text(value.get_ref<std::string&>());
        if (!id.empty()) outstanding.insert(id);
        return;
    }
    if (value.is_array()) {
        for (sdk::Json& element : value)
            rewrite(element, outstanding);
        return;
    }
    if (!value.is_object()) return;
    std::vector<std::string> unknown;
    for (auto& [name, member] : value.items()) {
        if (!member.is_string()) {
            rewrite(member, outstanding);
            continue;
        }
        const std::string id = rewrite_text(member.get_ref<std::string&>());
        if (id.empty()) continue;
        outstanding.insert(id);
        unknown.push_back(name);
    }
    for (const std::string& name : unknown)
        value.erase(name);
}

}  // namespace stele::archives
