#include "branch/client_members.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr std::array<std::string_view, 7> kOfClients{
    "_doc",         member::kSystem,   member::kType,
    member::kQName, member::kFeatures, member::kIsAssociation,
    kParent};

struct SecondName {
    std::string_view second;
    std::string_view kept;
};
constexpr std::array kSecondNames{SecondName{"f:auditable", feature::kAudit},
                                  SecondName{"f:propagates-authority", feature::kPropagates}};

bool belongs_to_server(std::string_view name) {
    return !name.empty() && name.front() == '_' &&
           std::find(kOfClients.begin(), kOfClients.end(), name) == kOfClients.end();
}

/// Of a path below `_features`, the feature's name renamed.
std::string renamed_path(const std::string& path) {
    const std::string prefix = std::string(member::kFeatures) + ".";
    if (!path.starts_with(prefix)) return path;
    const std::size_t end = std::min(path.find('.', prefix.size()), path.size());
    const std::string_view name = std::string_view(path).substr(prefix.size(), end - prefix.size());
    return prefix + kept_feature_name(name) + path.substr(end);
}

}  // namespace

void drop_server_members(sdk::Json& fields) {
    if (!fields.is_object()) return;
    auto& members = fields.get_ref<sdk::Json::object_t&>();
    const auto is_gone = [](const auto& member) { return belongs_to_server(member.first); };
    if (std::none_of(members.begin(), members.end(), is_gone)) return;
    // To take one out of many moves all that follow.
    sdk::Json::object_t kept;
    kept.reserve(members.size());
    for (auto& member : members) {
        if (!is_gone(member)) kept.emplace_back(member.first, std::move(member.second));
    }
    fields = sdk::Json(std::move(kept));
}

void mend_features(sdk::Json& fields) {
    const auto sent = fields.find(member::kFeatures);
    if (sent == fields.end()) return;
    if (sent->is_null()) {
        fields.erase(sent);
        return;
    }
    sdk::Json& features = *sent;
    if (features.is_array() && features.empty()) features = sdk::Json::object();
    if (!features.is_object()) return;
    for (auto& [name, config] : features.items()) {
        if (config.is_array() && config.empty()) config = sdk::Json::object();
    }
    rename_features(features);
}

void check_features(const sdk::Json* before, const sdk::Json& after, sdk::Violations& violations) {
    const auto features = after.find(member::kFeatures);
    if (features == after.end() || features->is_object()) return;
    if (before != nullptr && before->contains(member::kFeatures) &&
        before->at(member::kFeatures) == *features)
        return;
    violations.push_back(
        {member::kFeatures, "nodes.feature_malformed", "_features must be an object"});
}

void keep_servers_features(const sdk::Json* before, sdk::Json& after, bool may_relate) {
    const auto features = after.find(member::kFeatures);
    if (features == after.end() || !features->is_object()) return;
    for (const std::string_view name : {feature::kLocked, feature::kRelator}) {
        if (may_relate && name == feature::kRelator) continue;
        features->erase(name);
        if (before != nullptr && has_feature(*before, name))
            (*features)[name] = before->at(member::kFeatures).at(name);
    }
}

std::string kept_feature_name(std::string_view name) {
    const auto known = std::find_if(kSecondNames.begin(), kSecondNames.end(),
                                    [name](const SecondName& one) { return one.second == name; });
    return std::string(known == kSecondNames.end() ? name : known->kept);
}

void rename_features(sdk::Json& features) {
    if (!features.is_object()) return;
    for (const SecondName& name : kSecondNames) {
        const auto found = features.find(name.second);
        if (found == features.end()) continue;
        sdk::Json config = std::move(*found);
        features.erase(found);
        if (!features.contains(name.kept)) features[std::string(name.kept)] = std::move(config);
    }
}

void rename_queried_features(sdk::Json& query) {
    if (query.is_array()) {
        for (sdk::Json& part : query)
            rename_queried_features(part);
        return;
    }
    if (!query.is_object()) return;
    auto& members = query.get_ref<sdk::Json::object_t&>();
    sdk::Json::object_t renamed;
    renamed.reserve(members.size());
    std::unordered_map<std::string, std::size_t> places;
    for (auto& member : members) {
        rename_queried_features(member.second);
        const std::string path = renamed_path(member.first);
        const auto [place, is_new] = places.try_emplace(path, renamed.size());
        if (is_new) {
            renamed.emplace_back(path, std::move(member.second));
        } else {
            std::next(renamed.begin(), static_cast<std::ptrdiff_t>(place->second))->second =
                std::move(member.second);
        }
    }
    query = sdk::Json(std::move(renamed));
}

bool mentions(const sdk::Json& query, const char* name) {
    if (query.is_object() && query.contains(name)) return true;
    return query.is_structured() &&
           std::any_of(query.begin(), query.end(),
                       [name](const sdk::Json& inner) { return mentions(inner, name); });
}

}  // namespace stele::nodes
