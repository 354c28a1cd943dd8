#include "endpoints.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "branch_rows.hpp"
#include "request.hpp"
#include "schema_builder.hpp"
#include "schema_text.hpp"

namespace stele::graphql {

namespace {

sdk::Error unknown_record(std::string_view type, std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           "there is no " + std::string(type) + " " + std::string(id));
}

/// Whether the caller may know of a record, or `not_found` like for one that is not there.
sdk::Result<void> require_known(const sdk::Call& call, const sdk::RecordKey& record,
                                std::string_view type, std::string_view placeholder) {
    auto may = sdk::holds(call.context(), record, sdk::Permission::connect);
    if (!may) return may.error();
    if (!*may) return unknown_record(type, call.path(placeholder));
    return {};
}

/// As the kernel finds and guards the records of a family's paths (docs/request-life.md).
sdk::Result<sdk::RecordKey> find_branch(const sdk::Call& call) {
    sdk::Documents& documents = call.context().documents();
    const auto repository = documents.read({"repository", ""}, call.path("repositoryId"));
    if (!repository) return repository.error();
    const auto repository_known = [&] {
        return require_known(call, repository->key, "repository", "repositoryId");
    };
    auto branch =
        documents.read({"branch", repository->id, repository->key}, call.path("branchId"));
    if (!branch) {
        if (auto known = repository_known(); !known) return known.error();
        return branch.error();
    }
    auto may = sdk::holds(call.context(), branch->key, sdk::Permission::read);
    if (!may) return may.error();
    if (*may) return branch->key;
    if (auto known = require_known(call, branch->key, "branch", "branchId"); !known) {
        if (auto above = repository_known(); !above) return above.error();
        return known.error();
    }
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        "READ on branch " + std::string(call.path("branchId")) + " is needed for this");
}

sdk::Result<Schema> schema_of(BranchRows& rows) {
    auto definitions = rows.type_definitions();
    if (!definitions) return definitions.error();
    return build_schema(*definitions);
}

sdk::Result<sdk::Reply> run_query(sdk::Registrar& registrar, const sdk::Call& call) {
    auto branch = find_branch(call);
    if (!branch) return branch.error();
    BranchRows rows(call.context(), *std::move(branch), registrar.find<sdk::NodeSearch>());
    auto schema = schema_of(rows);
    if (!schema) return schema.error();
    auto answer = answer_request(*schema, read_request(call), rows);
    if (!answer) return answer.error();
    return sdk::Reply::json(*answer);
}

sdk::Result<sdk::Reply> read_schema(const sdk::Call& call) {
    auto branch = find_branch(call);
    if (!branch) return branch.error();
    BranchRows rows(call.context(), *std::move(branch), nullptr);
    auto schema = schema_of(rows);
    if (!schema) return schema.error();
    return sdk::Reply::text(schema_text(*schema), "text/plain;charset=UTF-8");
}

/// Entries of `errors` (problem.hpp).
sdk::Shape problem_shape() {
    using namespace sdk::shape;
    const sdk::Shape place = object({{"line", integer()}, {"column", integer()}});
    return object({{"message", text()},
                   optional("locations", array(place)),
                   optional("path", array(either({text(), integer()}))),
                   {"extensions", object({{"code", text()}})}});
}

sdk::Shape answer_shape() {
    using namespace sdk::shape;
    return object({optional("data", null_or(map())), optional("errors", array(problem_shape())),
                   optional("extensions", object({{"truncated", boolean()}, {"bound", text()}}))});
}

std::vector<sdk::Parameter> query_parameters() {
    return {{"query"},
            {"operationName"},
            {"operation_name"},
            {"variables", false, sdk::FieldKind::object}};
}

}  // namespace

void add_endpoints(sdk::Registrar& registrar) {
    const std::string path = "/repositories/{repositoryId}/branches/{branchId}/graphql";
    const std::string alias = "/repositories/{repositoryId}/b/{branchId}/graphql";
    for (const char* method : {"GET", "POST"}) {
        registrar.add(sdk::Endpoint{
            .method = method,
            .path = path,
            .title = "answer a GraphQL query",
            .run = [&registrar](const sdk::Call& call) { return run_query(registrar, call); },
            .parameters = query_parameters(),
            .slow = true,
            .bounds = {{"variables", sdk::kMaxBodyEntries, /*holds_records=*/true}},
            .answers = answer_shape(),
            .path_aliases = {alias}});
    }
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = path + "/schema",
                                .title = "read the GraphQL schema",
                                .run = &read_schema,
                                .slow = true,
                                .answers = sdk::shape::bytes("text/plain"),
                                .path_aliases = {alias + "/schema"}});
}

}  // namespace stele::graphql
