#include "policy_catalogue.hpp"

#include <functional>
#include <map>

#include <nlohmann/json.hpp>

namespace stele::access_policies {

namespace {

/// The texts are constants of this file; a broken one is a programmer's mistake.
sdk::Json entries(const char* text) {
    return sdk::parse_json(text).value();
}

}  // namespace

const sdk::Json& policy_templates() {
    static const sdk::Json kTemplates = entries(R"json([
{"key": "folder-consumer", "title": "Read a folder",
 "description": "Reading everything below one path.",
 "statements": [{"action": "grant", "roles": ["consumer"],
   "conditions": [{"type": "path", "config": {"path": "^/folder(/.*)?$"}}]}]},
{"key": "folder-contributor", "title": "Contribute to a folder",
 "description": "Reading and adding below one path, on branches where nodes can be made.",
 "statements": [
  {"action": "grant", "roles": ["contributor"],
   "conditions": [{"type": "path", "config": {"path": "^/folder(/.*)?$"}}]},
  {"action": "grant", "roles": ["contributor"],
   "conditions": [{"type": "type", "config": {"type": "^branch.*"}}]}]},
{"key": "branch-readonly", "title": "Read one branch",
 "description": "Reading a branch and everything in it.",
 "statements": [{"action": "grant", "roles": ["consumer"],
   "conditions": [{"type": "branch", "config": {"alias": "master"}}]}]},
{"key": "type-editor", "title": "Edit one type",
 "description": "Changing and removing what has one type.",
 "statements": [{"action": "grant", "roles": ["editor"],
   "conditions": [{"type": "type-qname", "config": {"qname": "custom:article"}}]}]},
{"key": "project-reader", "title": "Read a project",
 "description": "Reading everything inside one project.", "scope": "project",
 "statements": [{"action": "grant", "roles": ["consumer"], "conditions": []}]}
])json");
    return kTemplates;
}

const sdk::Json& system_policies() {
    static const sdk::Json kPolicies = entries(R"json([
{"_doc": "project-user", "key": "project-user", "title": "Project User", "system": true,
 "order": 1000, "scope": "project",
 "statements": [
  {"action": "grant", "roles": ["consumer"], "conditions": []},
  {"action": "revoke", "roles": ["consumer"],
   "conditions": [{"type": "type", "config": {"type": "^node.*"}}]},
  {"action": "grant", "roles": ["consumer"], "conditions": [{"type": "definition"}]},
  {"action": "grant", "roles": ["consumer"],
   "conditions": [{"type": "qname", "config": {"qname": "r:root"}}]}]},
{"_doc": "project-collaborator", "key": "project-collaborator", "title": "Project Collaborator",
 "system": true, "order": 1000, "scope": "project",
 "statements": [
  {"action": "grant", "roles": ["contributor"],
   "conditions": [{"type": "type", "config": {"type": "^repository.*"}}]},
  {"action": "grant", "roles": ["contributor"],
   "conditions": [{"type": "type", "config": {"type": "^branch.*"}}]},
  {"action": "grant", "roles": ["collaborator"],
   "conditions": [{"type": "type", "config": {"type": "^node.*"}}]}]}
])json");
    return kPolicies;
}

const std::string* system_policy_row(std::string_view key) {
    using Rows = std::map<std::string, std::string, std::less<>>;
    static const Rows kRows = [] {
        Rows rows;
        // Smaller than the hexadecimal text of any record's key.
        std::string created;
        for (sdk::Json row : system_policies()) {
            const std::string own_key = row.at("key").get<std::string>();
            row["id"] = own_key;
            row["created"] = created += ' ';
            rows[own_key] = sdk::dump_json(row);
        }
        return rows;
    }();
    const auto found = kRows.find(key);
    return found == kRows.end() ? nullptr : &found->second;
}

const sdk::Json& condition_types() {
    static const sdk::Json kTypes = entries(R"json([
{"key": "and", "title": "All of", "config": ["conditions"]},
{"key": "or", "title": "One of", "config": ["conditions"]},
{"key": "not", "title": "None of", "config": ["conditions"]},
{"key": "type", "title": "Type id or reference of the record", "config": ["type"]},
{"key": "reference", "title": "Reference of the record", "config": ["reference"],
 "aliases": ["reference-matches"]},
{"key": "property", "title": "Value of a property", "config": ["property", "value"],
 "aliases": ["property-matches"]},
{"key": "datastore", "title": "Data store that the record is or lies in",
 "config": ["typeId", "id", "title"]},
{"key": "project", "title": "Project that the record lies in", "config": ["id", "title"]},
{"key": "branch", "title": "Branch that the node lies in", "config": ["id", "title", "alias"]},
{"key": "changeset", "title": "Changeset of the node", "config": ["id"]},
{"key": "path", "title": "One of the node's paths", "config": ["path"],
 "aliases": ["path-matches"]},
{"key": "qname", "title": "QName of the node", "config": ["qname"]},
{"key": "type-qname", "title": "Type of the node", "config": ["qname"]},
{"key": "feature", "title": "Feature of the node", "config": ["qname"],
 "aliases": ["feature-matches", "node-has-feature"]},
{"key": "definition", "title": "The record is a content definition, or one of these QNames", "config": ["qname"]}
])json");
    return kTypes;
}

const sdk::Json* find_entry(const sdk::Json& entries, std::string_view key) {
    for (const sdk::Json& entry : entries) {
        if (entry.value("key", std::string()) == key) return &entry;
    }
    return nullptr;
}

}  // namespace stele::access_policies
