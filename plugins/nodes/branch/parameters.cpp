#include "branch/parameters.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>

#include "branch/branch_content.hpp"
#include "branch/client_members.hpp"

namespace stele::nodes {

sdk::Result<std::vector<std::string>> id_list(const sdk::Call& call) {
    std::vector<std::string> ids;
    std::unordered_set<std::string> known;
    const auto add = [&](const std::string& id) {
        if (known.insert(id).second) ids.push_back(id);
    };
    const sdk::Json& body = call.body();
    const bool has_member = body.is_object() && body.contains("_docs");
    if (body.is_array() || has_member) {
        const sdk::Json& listed = has_member ? body["_docs"] : body;
        const bool is_list =
            listed.is_array() && std::all_of(listed.begin(), listed.end(),
                                             [](const sdk::Json& id) { return id.is_string(); });
        if (!is_list) {
            return sdk::make_error(
                {{"_docs", "nodes.request_ids_malformed", "_docs must be an array of ids"}});
        }
        for (const sdk::Json& id : listed)
            add(id.get_ref<const std::string&>());
        return ids;
    }
    for (std::size_t number = 0; number <= sdk::kMaxBodyEntries; ++number) {
        const auto id = call.parameter(std::to_string(number));
        if (!id) return ids;
        add(*id);
    }
    return sdk::invalid_parameter(std::to_string(sdk::kMaxBodyEntries),
                                  "is one id more than a request may name");
}

std::string text_parameter(const sdk::Call& call, std::string_view name) {
    std::string text = call.parameter(name).value_or(std::string());
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return text;
}

sdk::Result<std::string> checked_type(std::string type, std::string_view parameter) {
    if (type.empty() || is_qname(type)) return type;
    return sdk::make_error(
        {{std::string(parameter), "nodes.qname_malformed",
          fmt::format("{} must be a prefix, a colon and a local name", parameter)}});
}

sdk::Result<std::string> type_parameter(const sdk::Call& call, std::string_view name) {
    return checked_type(text_parameter(call, name), name);
}

bool is_declined(const sdk::Call& call, std::string_view name) {
    const std::vector<std::string> names = call.parameter_names();
    // A member of a body is a condition, no parameter.
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
    return sdk::equals_ignoring_case(text_parameter(call, name), "false");
}

sdk::Json shown_query(const sdk::Call& call, sdk::Json query) {
    constexpr char kProjection[] = "_fields";
    rename_queried_features(query);
    if (!query.is_object() || query.contains(kProjection)) return query;
    if (is_declined(call, "full")) {
        query[kProjection] = {{"_doc", 1}};
    } else if (is_declined(call, "metadata")) {
        query[kProjection] = {{"_system", 0}};
    }
    return query;
}

}  // namespace stele::nodes
