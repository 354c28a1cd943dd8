#include "record_transfer.hpp"

#include <algorithm>

#include "answers.hpp"

namespace stele::conformance {

namespace {

constexpr char kEverything[] = "?limit=-1";

sdk::Json attachments_of(const HttpClient& admin, const std::string& path) {
    sdk::Json attachments = sdk::Json::object();
    for (const sdk::Json& row : rows_of(admin.ask("GET", path + "/attachments" + kEverything))) {
        const std::string id = text_of(row, "attachmentId");
        attachments[id] = {{"contentType", text_of(row, "contentType")},
                           {"filename", text_of(row, "filename")},
                           {"bytes", admin.ask("GET", path + "/attachments/" + id).body}};
    }
    return attachments;
}

sdk::Json without(sdk::Json object, std::initializer_list<const char*> names) {
    for (const char* name : names)
        object.erase(name);
    return object;
}

sdk::Json roles_of(const HttpClient& admin, const std::string& path) {
    sdk::Json roles = sdk::Json::object();
    for (const sdk::Json& row :
         rows_of(admin.ask("GET", path + "/roles" + kEverything + "&inherited=false")))
        roles[text_of(row, "roleKey")] = without(row, {"_doc", "_system"});
    return roles;
}

std::string qualified_id(const sdk::Json& principal) {
    return text_of(principal, "domainId") + "/" + text_of(principal, "_doc");
}

/// Teams by key. Their groups, which each record has of its own, are taken out of `acl`.
sdk::Json teams_of(const HttpClient& admin, const std::string& path, sdk::Json& acl) {
    sdk::Json teams = sdk::Json::object();
    for (const sdk::Json& row : rows_of(admin.ask("GET", path + "/teams" + kEverything))) {
        const std::string key = text_of(row, "key");
        acl.erase(text_of(row, "groupDomainId") + "/" + text_of(row, "groupId"));
        sdk::Json team = without(row, {"_system", "groupId", "groupDomainId", "teamableObjectId",
                                       "teamableObjectTypeId"});
        team["members"] = sdk::Json::object();
        for (const sdk::Json& member :
             rows_of(admin.ask("GET", path + "/teams/" + key + "/members" + kEverything)))
            team["members"][qualified_id(member)] = text_of(member, "type");
        teams[key] = std::move(team);
    }
    return teams;
}

sdk::Json acl_of(const HttpClient& admin, const std::string& path) {
    sdk::Json acl = sdk::Json::object();
    for (const sdk::Json& row : rows_of(admin.ask("GET", path + "/acl/list" + kEverything))) {
        sdk::Json roles = member_of(row, "authorities");
        if (roles.is_array()) std::sort(roles.begin(), roles.end());
        acl[qualified_id(row)] = std::move(roles);
    }
    return acl;
}

std::string next_place() {
    static int places = 0;
    return "?group=conformance&artifact=record&version=" + std::to_string(++places) +
           "&schedule=SYNCHRONOUS";
}

}  // namespace

RecordState RecordState::read(const HttpClient& admin, const std::string& path) {
    RecordState state;
    const Answer read = admin.ask("GET", path);
    state.record = read.json;
    state.tag = read.tag;
    sdk::Json acl = acl_of(admin, path);
    sdk::Json teams = teams_of(admin, path, acl);
    state.beside = {{"attachments", attachments_of(admin, path)},
                    {"acl", std::move(acl)},
                    {"roles", roles_of(admin, path)},
                    {"teams", std::move(teams)}};
    return state;
}

RecordTransfer::RecordTransfer(HttpClient admin) : admin_(std::move(admin)), place_(next_place()) {}

Answer RecordTransfer::run(const std::string& path, const sdk::Json& configuration) const {
    return admin_.ask("POST", path + place_, sdk::dump_json(configuration));
}

Answer RecordTransfer::export_record(const std::string& path) const {
    sdk::Json configuration = sdk::Json::object();
    for (const char* part : {"includeACLs", "includeTeams", "includeTeamMembers", "includeRoles",
                             "includeAttachments", "includeBinaries"})
        configuration[part] = true;
    return run(path + "/export", configuration);
}

Answer RecordTransfer::import_into(const std::string& container, const std::string& strategy,
                                   const sdk::Json& substitutions) const {
    return run(container + "/import", {{"strategy", strategy}, {"substitutions", substitutions}});
}

bool is_finished(const Answer& job) {
    return job.status == 200 && text_of(job.json, "state") == "FINISHED";
}

std::string imported_id(const Answer& job) {
    const sdk::Json imports = member_of(job.json, "imports");
    if (!imports.is_array() || imports.empty()) return {};
    const sdk::Json targets = member_of(imports.front(), "targets");
    return targets.is_array() && !targets.empty() ? text_of(targets.back(), "id") : std::string();
}

std::string change_by_clone(const HttpClient& admin, const std::string& path,
                            const std::string& container) {
    const RecordState before = RecordState::read(admin, path);
    const RecordTransfer transfer(admin);
    const Answer exported = transfer.export_record(path);
    if (!is_finished(exported)) return "its export: " + exported.body;
    const Answer imported = transfer.import_into(container, "CLONE");
    if (!is_finished(imported)) return "its import: " + imported.body;
    const RecordState after = RecordState::read(admin, path);
    if (after == before) return {};
    return "it was " + before.tag + sdk::dump_json(before.record) + sdk::dump_json(before.beside) +
           " and is " + after.tag + sdk::dump_json(after.record) + sdk::dump_json(after.beside);
}

}  // namespace stele::conformance
