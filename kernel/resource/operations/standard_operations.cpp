#include "kernel/resource/operations/standard_operations.hpp"

#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::resource {

namespace {

using Operation = StandardOperation;
using Has = sdk::Operations;
using Needs = sdk::OperationPermissions;
constexpr auto kOnCollection = sdk::ActionScope::collection;
constexpr auto kOnRecord = sdk::ActionScope::item;

std::vector<Operation> record_operations() {
    const Operation::Traits writes{.body = sdk::BodyUse::record};
    const Operation::Traits removes{.body = sdk::BodyUse::record, .urgent = true};
    const Operation::Traits queries{.body = sdk::BodyUse::condition, .paged = true};
    const Operation::Traits queries_by_get{
        .parameters = {{"query"}}, .body = sdk::BodyUse::condition, .paged = true};
    return {
        {"create", "POST", kOnCollection, "", &Has::create, &Needs::create, &create_record, writes},
        {"list",
         "GET",
         kOnCollection,
         "",
         &Has::list,
         &Needs::list,
         &list_records,
         {.paged = true}},
        {"query", "POST", kOnCollection, "/query", &Has::query, &Needs::query, &query_records,
         queries},
        {"query", "GET", kOnCollection, "/query", &Has::query_by_get, &Needs::query,
         &query_records_by_get, queries_by_get},
        {"read", "GET", kOnRecord, "", &Has::read, &Needs::read, &read_record},
        {"update", "PUT", kOnRecord, "", &Has::update, &Needs::update, &update_record, writes},
        {"update", "POST", kOnRecord, "/update", &Has::update, &Needs::update, &update_record,
         writes},
        {"delete", "DELETE", kOnRecord, "", &Has::remove, &Needs::remove, &remove_record, removes},
        {"delete", "POST", kOnRecord, "/delete", &Has::remove, &Needs::remove, &remove_record,
         removes},
    };
}

std::vector<Operation> check_operations() {
    const Operation::Traits of_one{.parameters = {{"id", true}}};
    const Operation::Traits of_many{.slow = true, .bulk_check = true};
    return {
        {"check permission", "POST", kOnRecord, "/permissions/{permissionId}/check",
         &Has::permissions, &Needs::check, &check_permission, of_one},
        {"check single authority", "POST", kOnRecord, "/authorities/{authorityId}/check",
         &Has::permissions, &Needs::check, &check_authority, of_one},
        {"check multiple authorities", "POST", kOnCollection, "/authorities/check",
         &Has::permissions, &Needs::check_many, &check_authorities, of_many},
        {"check multiple permissions", "POST", kOnCollection, "/permissions/check",
         &Has::permissions, &Needs::check_many, &check_permissions, of_many},
    };
}

std::vector<Operation> grant_operations() {
    const Operation::Traits gives{.parameters = {{"id", true}}};
    const Operation::Traits takes{.parameters = {{"id", true}}, .urgent = true};
    const Operation::Traits lists{.paged = true};
    const Operation::Traits lists_one{.parameters = {{"id", true}}, .paged = true};
    return {
        {"grant authority", "POST", kOnRecord, "/authorities/{authorityId}/grant",
         &Has::permissions, &Needs::grant, &grant_authority, gives},
        {"revoke authority", "POST", kOnRecord, "/authorities/{authorityId}/revoke",
         &Has::permissions, &Needs::grant, &revoke_authority, takes},
        {"read ACL", "GET", kOnRecord, "/acl/list", &Has::permissions, &Needs::check, &read_acl,
         lists},
        {"read ACL for principal", "GET", kOnRecord, "/acl/{principalId}", &Has::permissions,
         &Needs::check, &read_acl_of_principal, lists},
        {"read ACL for principal", "GET", kOnRecord, "/acl", &Has::permissions, &Needs::check,
         &read_acl_of_principal, lists_one},
        {"authorities report",
         "POST",
         kOnRecord,
         "/authorities",
         &Has::permissions,
         &Needs::check,
         &read_report,
         {.slow = true}},
    };
}

}  // namespace

std::span<const StandardOperation> standard_operations() {
    static const std::vector<Operation> kRows = [] {
        std::vector<Operation> rows = record_operations();
        for (const auto& more : {check_operations(), grant_operations()})
            rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }();
    return kRows;
}

}  // namespace stele::kernel::resource
