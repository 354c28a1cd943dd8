#include "content/parameters.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace stele::nodes {

sdk::Result<std::vector<std::string>> id_list(const sdk::Call& call) {
    std::vector<std::string> ids;
    const auto add = [&ids](const std::string& id) {
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
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
                {{"_docs", "request.ids_malformed", "_docs must be an array of ids"}});
        }
        for (const sdk::Json& id : listed)
            add(id.get_ref<const std::string&>());
        return ids;
    }
    for (std::size_t number = 0;; ++number) {
        const auto id = call.parameter(std::to_string(number));
        if (!id) return ids;
        add(*id);
    }
}

}  // namespace stele::nodes
