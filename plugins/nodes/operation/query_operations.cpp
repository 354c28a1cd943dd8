#include <nlohmann/json.hpp>

#include "branch/branch_content.hpp"
#include "operation/find_operations.hpp"
#include "operation/node_rows.hpp"

namespace stele::nodes {

namespace {

constexpr char kQueryParameter[] = "query";

sdk::Result<sdk::Json> read_query_parameter(const sdk::Call& call) {
    const std::string text = call.parameter(kQueryParameter).value_or(std::string());
    auto query = sdk::parse_json(text);
    if (!query) return sdk::invalid_parameter(kQueryParameter, query.error().message);
    return read_object(*query, kQueryParameter);
}

sdk::Result<sdk::Reply> query_page(Services& services, const sdk::Call& call,
                                   const sdk::Result<sdk::Json>& query) {
    if (!query) return query.error();
    return services.lists.page(call, call.collection(), shown_query(call, *query));
}

sdk::Result<sdk::Reply> query_by_parameter(Services& services, const sdk::Call& call) {
    return query_page(services, call, read_query_parameter(call));
}

sdk::Result<sdk::Reply> query_by_body(Services& services, const sdk::Call& call) {
    return query_page(services, call, read_object(call.body(), kQueryParameter));
}

sdk::Action query_action(const char* name, const char* method) {
    return {.name = name,
            .method = method,
            .scope = sdk::ActionScope::collection,
            .permission = sdk::Permission::connect,
            .paged = true};
}

}  // namespace

sdk::Actions node_query_actions() {
    sdk::Actions actions{query_action("query", "GET"), query_action("query/deep", "GET"),
                         query_action("query", "POST"), query_action("query/deep", "POST")};
    actions[0].run = operation<&query_by_parameter>();
    actions[0].parameters = {{kQueryParameter}};
    actions[1].run = operation<&query_by_parameter>();
    actions[1].parameters = {{kQueryParameter}};
    actions[2].run = operation<&query_by_body>();
    actions[3].run = operation<&query_by_body>();
    return actions;
}

}  // namespace stele::nodes
