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

Identities::Found Identities::rewrite_text(std::string& text) const {
    if (const auto told = substitutions_.find(text); told != substitutions_.end()) {
        text = told->second;
        return Found::rewritten;
    }
    if (expected_.contains(text)) return Found::outstanding;
    if (const auto met = met_.find(text); met != met_.end()) {
        text = met->second;
        return Found::rewritten;
    }
    if (text.find("://") == std::string::npos) return Found::other;
    ReferenceParts parts = reference_parts(text);
    bool is_ours = false;
    for (std::string& id : parts.ids) {
        if (expected_.contains(id)) return Found::outstanding;
        const auto met = met_.find(id);
        if (met == met_.end()) continue;
        is_ours = true;
        id = met->second;
    }
    if (!is_ours) return Found::other;
    // Whatever platform it came from, what it names is here now.
    parts.ids.front() = platform_;
    text = parts.text();
    return Found::rewritten;
}

bool Identities::rewrite(sdk::Json& value) const {
    bool is_outstanding = false;
    if (value.is_string()) {
        rewrite_text(value.get_ref<std::string&>());
        return false;
    }
    if (value.is_array()) {
        for (sdk::Json& element : value)
            is_outstanding = rewrite(element) || is_outstanding;
        return is_outstanding;
    }
    if (!value.is_object()) return false;
    std::vector<std::string> outstanding;
    for (auto& [name, member] : value.items()) {
        if (!member.is_string()) {
            is_outstanding = rewrite(member) || is_outstanding;
            continue;
        }
        if (rewrite_text(member.get_ref<std::string&>()) == Found::outstanding)
            outstanding.push_back(name);
    }
    for (const std::string& name : outstanding)
        value.erase(name);
    return is_outstanding || !outstanding.empty();
}

}  // namespace stele::archives
