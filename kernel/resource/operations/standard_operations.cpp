#include "kernel/resource/operations/standard_operations.hpp"

#include <string>

#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::resource {

namespace {

using Operation = StandardOperation;
using Has = sdk::Operations;
using Needs = sdk::OperationPermissions;
constexpr auto kOnCollection = sdk::ActionScope::collection;
constexpr auto kOnRecord = sdk::ActionScope::item;

using sdk::Shape;

Shape page_of_records(std::string_view type) {
    return sdk::shape::page(sdk::shape::record(type));
}

Shape record_body(std::string_view type) {
    return sdk::shape::record(std::string(type) + "Body");
}

Shape condition(std::string_view) {
    return sdk::shape::record("Condition");
}

Shape status(std::string_view) {
    return sdk::shape::status();
}

Shape check(std::string_view) {
    return sdk::shape::status({{"check", sdk::shape::boolean()}});
}

/// Entries of a bulk check: of whom, on what, and the word that is asked for.
std::vector<sdk::ShapeMember> check_entry(const char* word) {
    return {{"permissionedId", sdk::shape::text()},
            {"principalId", sdk::shape::text()},
            {word, sdk::shape::text()}};
}

Shape asked_checks(const char* word) {
    std::vector<sdk::ShapeMember> entry = check_entry(word);
    entry.push_back(sdk::shape::optional("domainId", sdk::shape::text()));
    return sdk::shape::object({{"checks", sdk::shape::array(sdk::shape::object(entry))}});
}

Shape answered_checks(const char* word) {
    std::vector<sdk::ShapeMember> entry = check_entry(word);
    entry.push_back({"result", sdk::shape::boolean()});
    const Shape entries = sdk::shape::array(sdk::shape::object(entry));
    return sdk::shape::status({{"checks", entries}, {"results", entries}});
}

Shape permission_checks(std::string_view) {
    return answered_checks("permissionId");
}

Shape authority_checks(std::string_view) {
    return answered_checks("authorityId");
}

Shape permissions_to_check(std::string_view) {
    return asked_checks("permissionId");
}

Shape authorities_to_check(std::string_view) {
    return asked_checks("authorityId");
}

Shape access_list(std::string_view) {
    using sdk::shape::optional;
    using sdk::shape::text;
    // With full=false the ids alone.
    std::vector<sdk::ShapeMember> row{{"_doc", text()},
                                      optional("type", text({"USER", "GROUP"})),
                                      optional("authorities", sdk::shape::array(text()))};
    for (const char* name : {"name", "domainId", "domainQualifiedId", "domainQualifiedName",
                             "principalId", "userEmail", "userFirstName", "userLastName"})
        row.push_back(optional(name, text()));
    return sdk::shape::page(sdk::shape::object(row));
}

Shape page_of_roles(std::string_view) {
    return sdk::shape::page(sdk::shape::text());
}

Shape report(std::string_view) {
    using sdk::shape::text;
    const Shape from =
        sdk::shape::object({{"id", text()}, {"principal", text()}, {"permissioned", text()}});
    return sdk::shape::map(
        sdk::shape::map(sdk::shape::object({{"role-key", text()},
                                            {"principal", text()},
                                            {"permissioned", text()},
                                            sdk::shape::optional("inheritsFrom", from)})));
}

/// Of whom to report; without it, of all.
Shape report_subjects(std::string_view) {
    return sdk::shape::object(
        {sdk::shape::optional("principals", sdk::shape::array(sdk::shape::text()))});
}

std::vector<Operation> record_operations() {
    using sdk::shape::record;
    using sdk::shape::written;
    const Operation::Traits writes{.body = sdk::BodyUse::record, .takes = &record_body};
    const Operation::Traits removes{.body = sdk::BodyUse::record, .urgent = true};
    const Operation::Traits lists{.paged = true};
    const Operation::Traits queries{
        .body = sdk::BodyUse::condition, .paged = true, .takes = &condition};
    const Operation::Traits queries_by_get{.parameters = {{"query", false, sdk::FieldKind::object}},
                                           .body = sdk::BodyUse::condition,
                                           .paged = true};
    return {
        {"create", "POST", kOnCollection, "", &Has::create, &Needs::create, &create_record,
         &written, writes},
        {"list", "GET", kOnCollection, "", &Has::list, &Needs::list, &list_records,
         &page_of_records, lists},
        {"query", "POST", kOnCollection, "/query", &Has::query, &Needs::query, &query_records,
         &page_of_records, queries},
        {"query", "GET", kOnCollection, "/query", &Has::query_by_get, &Needs::query,
         &query_records_by_get, &page_of_records, queries_by_get},
        {"read", "GET", kOnRecord, "", &Has::read, &Needs::read, &read_record, &record},
        {"update", "PUT", kOnRecord, "", &Has::update, &Needs::update, &update_record, &written,
         writes},
        {"update", "POST", kOnRecord, "/update", &Has::update, &Needs::update, &update_record,
         &written, writes},
        {"delete", "DELETE", kOnRecord, "", &Has::remove, &Needs::remove, &remove_record, &status,
         removes},
        {"delete", "POST", kOnRecord, "/delete", &Has::remove, &Needs::remove, &remove_record,
         &status, removes},
    };
}

std::vector<Operation> check_operations() {
    const Operation::Traits of_one{.parameters = {{"id", true}}};
    const Operation::Traits authorities{
        .slow = true, .bulk_check = true, .takes = &authorities_to_check};
    const Operation::Traits permissions{
        .slow = true, .bulk_check = true, .takes = &permissions_to_check};
    return {
        {"check permission", "POST", kOnRecord, "/permissions/{permissionId}/check",
         &Has::permissions, &Needs::check, &check_permission, &check, of_one},
        {"check single authority", "POST", kOnRecord, "/authorities/{authorityId}/check",
         &Has::permissions, &Needs::check, &check_authority, &check, of_one},
        {"check multiple authorities", "POST", kOnCollection, "/authorities/check",
         &Has::permissions, &Needs::check_many, &check_authorities, &authority_checks, authorities},
        {"check multiple permissions", "POST", kOnCollection, "/permissions/check",
         &Has::permissions, &Needs::check_many, &check_permissions, &permission_checks,
         permissions},
    };
}

std::vector<Operation> grant_operations() {
    const Operation::Traits gives{.parameters = {{"id", true}}};
    const Operation::Traits takes{.parameters = {{"id", true}}, .urgent = true};
    const Operation::Traits lists{.paged = true};
    const Operation::Traits lists_one{.parameters = {{"id", true}}, .paged = true};
    return {
        {"grant authority", "POST", kOnRecord, "/authorities/{authorityId}/grant",
         &Has::permissions, &Needs::grant, &grant_authority, &status, gives},
        {"revoke authority", "POST", kOnRecord, "/authorities/{authorityId}/revoke",
         &Has::permissions, &Needs::grant, &revoke_authority, &status, takes},
        {"read ACL", "GET", kOnRecord, "/acl/list", &Has::permissions, &Needs::check, &read_acl,
         &access_list, lists},
        {"read ACL for principal", "GET", kOnRecord, "/acl/{aclPrincipalId}", &Has::permissions,
         &Needs::check, &read_acl_of_principal, &page_of_roles, lists},
        {"read ACL for principal", "GET", kOnRecord, "/acl", &Has::permissions, &Needs::check,
         &read_acl_of_principal, &page_of_roles, lists_one},
        {"authorities report",
         "POST",
         kOnRecord,
         "/authorities",
         &Has::permissions,
         &Needs::check,
         &read_report,
         &report,
         {.slow = true, .takes = &report_subjects}},
    };
}

/// What the specification's configuration objects say, and the members of the job
/// (docs/specification/rulings.md).
Shape started_transfer(std::string_view) {
    return sdk::shape::both(sdk::shape::job(), sdk::shape::record("TransferConfiguration"));
}

Shape transfer_configuration(std::string_view) {
    return sdk::shape::record("TransferConfiguration");
}

/// The specification's names of the coordinates of an archive, and those that clients send.
std::vector<sdk::Parameter> transfer_parameters() {
    std::vector<sdk::Parameter> parameters;
    for (const char* name :
         {"groupId", "artifactId", "versionId", "vaultId", "group", "artifact", "version", "vault"})
        parameters.push_back({name});
    parameters.push_back(
        {"schedule", false, sdk::FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}});
    return parameters;
}

std::vector<Operation> transfer_operations() {
    Operation::Traits imports{
        .parameters = transfer_parameters(), .slow = true, .takes = &transfer_configuration};
    Operation::Traits exports = imports;
    exports.parameters.push_back({"title"});
    exports.parameters.push_back({"description"});
    exports.parameters.push_back({"published", false, sdk::FieldKind::boolean});
    return {
        {"export", "POST", kOnRecord, "/export", &Has::transfer, &Needs::transfer_out,
         &export_record, &started_transfer, exports},
        {"import", "POST", kOnRecord, "/import", &Has::transfer, &Needs::transfer_in,
         &import_record, &started_transfer, imports},
    };
}

}  // namespace

std::span<const StandardOperation> standard_operations() {
    static const std::vector<Operation> kRows = [] {
        std::vector<Operation> rows = record_operations();
        for (const auto& more : {check_operations(), grant_operations(), transfer_operations()})
            rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }();
    return kRows;
}

}  // namespace stele::kernel::resource
