#include "content/client_members.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "content/branch_content.hpp"
#include "content/vocabulary.hpp"

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
    std::vector<std::string> gone;
    for (const auto& [name, value] : fields.items()) {
        if (belongs_to_server(name)) gone.push_back(name);
    }
    for (const std::string& name : gone)
        fields.erase(name);
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
    sdk::Json renamed = sdk::Json::object();
    for (auto& [path, condition] : query.items()) {
        rename_queried_features(condition);
        renamed[renamed_path(path)] = std::move(condition);
    }
    query = std::move(renamed);
}

}  // namespace stele::nodes
