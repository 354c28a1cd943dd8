#include "transfer/identities.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>

#include "paths/locations.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kServerIdLength = 20;

/// Ids of servers are no words that mean something else, too.
bool is_server_id(std::string_view text) {
    return text.size() == kServerIdLength && std::all_of(text.begin(), text.end(), [](char digit) {
               return sdk::kHexDigits.find(digit) != std::string_view::npos;
           });
}

/// `domainId` and `principalDomainId` are called after a domain.
bool is_called_after(std::string_view member, std::string_view type) {
    constexpr std::string_view kId = "Id";
    if (!member.ends_with(kId)) return false;
    member.remove_suffix(kId.size());
    if (member.size() < type.size()) return false;
    const std::string_view word = member.substr(member.size() - type.size());
    if (!sdk::equals_ignoring_case(word, type)) return false;
    return word.size() == member.size() || (word.front() >= 'A' && word.front() <= 'Z');
}

}  // namespace

Identities::Identities(std::map<std::string, std::string> substitutions, std::string platform,
                       ChainTypes chain_types)
    : substitutions_(std::move(substitutions)),
      platform_(std::move(platform)),
      chain_types_(std::move(chain_types)) {}

void Identities::expect(const std::string& type, const std::string& id) {
    if (!find(type, id)) known_[id].push_back({type, {}, false});
}

void Identities::meet(const std::string& type, const std::string& id, const std::string& id_here) {
    std::vector<Known>& same = known_[id];
    const auto known = std::find_if(same.begin(), same.end(),
                                    [&type](const Known& one) { return one.type == type; });
    Known& met = known == same.end() ? same.emplace_back() : *known;
    met = {type, id_here, true};
}

const Identities::Known* Identities::find(std::string_view type, const std::string& id) const {
    const auto same = known_.find(id);
    if (same == known_.end()) return nullptr;
    for (const Known& known : same->second) {
        if (sdk::equals_ignoring_case(known.type, type)) return &known;
    }
    return nullptr;
}

const Identities::Known* Identities::find_named(std::string_view member,
                                                const std::string& text) const {
    if (is_server_id(text)) {
        const auto same = known_.find(text);
        return same == known_.end() ? nullptr : &same->second.front();
    }
    const auto same = known_.find(text);
    if (same == known_.end()) return nullptr;
    // Of `pageRenditionId` a page rendition is meant, not a rendition.
    const Known* named = nullptr;
    for (const Known& known : same->second) {
        if (!is_called_after(member, known.type)) continue;
        if (!named || named->type.size() < known.type.size()) named = &known;
    }
    return named;
}

std::string Identities::here(const std::string& type, const std::string& id) const {
    if (const auto told = substitutions_.find(id); told != substitutions_.end())
        return told->second;
    const Known* const known = find(type, id);
    return known && known->is_met ? known->here : id;
}

bool Identities::knows(const std::string& type, const std::string& id) const {
    const Known* const known = find(type, id);
    return known && known->is_met;
}

std::string Identities::rewrite_reference(std::string& text) const {
    ReferenceParts parts = reference_parts(text);
    const std::vector<std::string> types = chain_types_(parts.word);
    if (types.size() != parts.ids.size()) return {};
    bool is_ours = false;
    for (std::size_t i = 1; i < types.size(); ++i) {
        const Known* const known = find(types[i], parts.ids[i]);
        if (!known) continue;
        if (!known->is_met) return parts.ids[i];
        is_ours = true;
        parts.ids[i] = known->here;
    }
    if (!is_ours) return {};
    // Whatever platform it came from, what it names is here now.
    parts.ids.front() = platform_;
    text = parts.text();
    return {};
}

std::string Identities::rewrite_text(std::string_view member, std::string& text) const {
    if (const auto told = substitutions_.find(text); told != substitutions_.end()) {
        text = told->second;
        return {};
    }
    if (text.find("://") != std::string::npos) return rewrite_reference(text);
    const Known* const known = find_named(member, text);
    if (!known) return {};
    if (!known->is_met) return text;
    text = known->here;
    return {};
}

std::set<std::string> Identities::rewrite(sdk::Json& value) const {
    std::set<std::string> outstanding;
    rewrite({}, value, outstanding);
    return outstanding;
}

std::set<std::string> Identities::references_in(const sdk::Json& value) const {
    std::set<std::string> references;
    if (value.is_string()) {
        const std::string& text = value.get_ref<const std::string&>();
        if (text.find("://") == std::string::npos) return references;
        const ReferenceParts parts = reference_parts(text);
        const std::size_t length = chain_types_(parts.word).size();
        if (length > 0 && length == parts.ids.size()) references.insert(text);
        return references;
    }
    if (!value.is_structured()) return references;
    for (const sdk::Json& inner : value)
        references.merge(references_in(inner));
    return references;
}

void Identities::rewrite(std::string_view member, sdk::Json& value,
                         std::set<std::string>& outstanding) const {
    if (value.is_string()) {
        // In a list it stays as it is until a second look.
        const std::string id = rewrite_text(member, value.get_ref<std::string&>());
        if (!id.empty()) outstanding.insert(id);
        return;
    }
    if (value.is_array()) {
        for (sdk::Json& element : value)
            rewrite({}, element, outstanding);
        return;
    }
    if (!value.is_object()) return;
    std::vector<std::string> unknown;
    for (auto& [name, inner] : value.items()) {
        if (!inner.is_string()) {
            rewrite(name, inner, outstanding);
            continue;
        }
        const std::string id = rewrite_text(name, inner.get_ref<std::string&>());
        if (id.empty()) continue;
        outstanding.insert(id);
        unknown.push_back(name);
    }
    for (const std::string& name : unknown)
        value.erase(name);
}

}  // namespace stele::archives
