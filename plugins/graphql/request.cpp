#include "request.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "executor.hpp"
#include "parser.hpp"
#include "plan.hpp"
#include "validation.hpp"

namespace stele::graphql {

namespace {

sdk::Json failed(const Problems& problems) {
    return {{"errors", problem_rows(problems)}};
}

/// The operation of that name, or the only one; null adds a problem.
const Operation* choose_operation(const Document& document, const std::string& name,
                                  Problems& problems) {
    const bool is_clear = !name.empty() || document.operations.size() == 1;
    for (const Operation& operation : document.operations) {
        if (is_clear && (name.empty() || operation.name == name)) return &operation;
    }
    problems.push_back(
        {"graphql.operation_unknown", name.empty() ? "operationName must name one of the operations"
                                                   : "there is no operation \"" + name + "\""});
    return nullptr;
}

/// Text is taken for JSON, as parameters come; one driver writes empty objects as arrays.
sdk::Json read_variable_values(const sdk::Json& sent, Problems& problems) {
    sdk::Json values = sent;
    if (sent.is_string()) {
        auto parsed = sdk::parse_json(sent.get_ref<const std::string&>());
        values = parsed ? *std::move(parsed) : sdk::Json(false);
    }
    if (values.is_null() || (values.is_array() && values.empty())) return sdk::Json::object();
    if (!values.is_object())
        problems.push_back({"graphql.variable_invalid", "variables must be a JSON object"});
    return values;
}

/// One driver writes every parameter as JSON, so that a text comes in quotes.
std::string without_quotes(std::string text) {
    if (!text.starts_with('"')) return text;
    const auto parsed = sdk::parse_json(text);
    return parsed && parsed->is_string() ? parsed->get<std::string>() : text;
}

}  // namespace

Request read_request(const sdk::Call& call) {
    Request request;
    request.query = without_quotes(call.parameter("query").value_or(""));
    for (const char* name : {"operation_name", "operationName"}) {
        if (auto chosen = call.parameter(name)) request.operation_name = without_quotes(*chosen);
    }
    const sdk::Json& body = call.body();
    const auto member = body.is_object() ? body.find("variables") : body.end();
    if (auto text = call.parameter("variables")) {
        request.variables = *text;
    } else if (body.is_object() && member != body.end()) {
        request.variables = *member;
    }
    return request;
}

sdk::Result<sdk::Json> answer_request(const Schema& schema, const Request& request,
                                      RowSource& rows) {
    if (request.query.empty())
        return failed({{"graphql.query_missing", "the parameter \"query\" is missing"}});
    const Parsed parsed = parse_query(request.query);
    if (!parsed.problems.empty()) return failed(parsed.problems);
    Problems problems = validate(schema, parsed.document);
    if (!problems.empty()) return failed(problems);
    const Operation* operation =
        choose_operation(parsed.document, request.operation_name, problems);
    if (!operation) return failed(problems);
    const sdk::Json sent = read_variable_values(request.variables, problems);
    if (!problems.empty()) return failed(problems);
    const sdk::Json variables = read_variables(*operation, sent, problems);
    if (!problems.empty()) return failed(problems);
    const Plan plan = plan_operation(schema, parsed.document, *operation, variables);
    if (!plan.problems.empty()) return failed(plan.problems);

    auto data = execute(schema, plan, rows, problems);
    if (!data) {
        if (data.error().kind != sdk::ErrorKind::invalid) return data.error();
        problems.push_back({data.error().code, data.error().message});
    }
    sdk::Json answer = {{"data", data ? *std::move(data) : sdk::Json()}};
    if (!problems.empty()) answer["errors"] = problem_rows(problems);
    const std::string_view bound = schema.is_truncated ? "definitions" : rows.bound();
    if (!bound.empty()) answer["extensions"] = {{"truncated", true}, {"bound", bound}};
    return answer;
}

}  // namespace stele::graphql
