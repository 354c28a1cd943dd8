#include "rule_catalog.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

using sdk::Json;

Json actions() {
    return Json::array({{{"_doc", kSyncNode},
                         {"title", "Sync node"},
                         {"description",
                          "Copies the node to another branch under its id, keeps the copy up to "
                          "date and deletes it with the node."}}});
}

Json conditions() {
    return Json::array({{{"_doc", kPropertyEquals},
                         {"title", "Property equals"},
                         {"description", "A property of the node has a value."}}});
}

sdk::Shape row() {
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()}, {"title", text()}, {"description", text()}});
}

sdk::Result<sdk::Reply> read_one(const sdk::Call& call, const char* placeholder, const Json& rows) {
    const std::string id(call.path(placeholder));
    for (const Json& found : rows) {
        if (sdk::text_member(found, "_doc") == id) return sdk::Reply::json(found);
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "node_rules.part_unknown",
                           "rules have no " + sdk::shown_path(id) + " here");
}

void add(sdk::Registrar& registrar, const std::string& kind, const char* placeholder,
         const Json& rows) {
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/rule/" + kind,
        .title = "list the " + kind + " of rules",
        .run = [rows](const sdk::Call& call) { return sdk::Reply::page_of(rows, call.page()); },
        .paged = true,
        .answers = sdk::shape::page(row())});
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/rule/" + kind + "/{" + placeholder + "}",
        .title = "read one of the " + kind + " of rules",
        .run = [rows,
                placeholder](const sdk::Call& call) { return read_one(call, placeholder, rows); },
        .answers = row()});
}

}  // namespace

void add_rule_catalog(sdk::Registrar& registrar) {
    add(registrar, "actions", "actionId", actions());
    add(registrar, "conditions", "conditionId", conditions());
}

}  // namespace stele::node_rules
