// What exports and imports make of a family that says nothing for them
// (docs/reference/transfer.md).

#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "record_transfer.hpp"
#include "suite.hpp"

namespace stele::conformance {

namespace {

// No text and no UTF-8: whoever takes them for either changes them.
const std::string kBytes = std::string("\0\xff\x01 bytes\r\n", 11);

/// Whether both have the same members, whatever they say.
bool has_names_of(const sdk::Json& record, const sdk::Json& other) {
    if (record.size() != other.size()) return false;
    for (const auto& [name, value] : other.items()) {
        if (!record.contains(name)) return false;
    }
    return true;
}

}  // namespace

void Suite::furnish(const std::string& path) {
    const auto give = [&](const Answer& answer, const char* what) {
        const bool is_had = is_routed(answer);
        if (is_had) check(answer.status == 200, what, answer);
        return is_had;
    };
    give(admin_.ask("POST", path + "/attachments/conformance?filename=bytes.bin", kBytes,
                    "application/x-conformance"),
         "a record takes an attachment");
    const sdk::Json role{{"roleKey", "conformer"},
                         {"title", "Conformer"},
                         {"permissions", {"CONNECT", "READ"}},
                         {"conformance_mark", {1, "two"}}};
    const bool has_roles =
        give(admin_.ask("POST", path + "/roles", sdk::dump_json(role)), "a record takes a role");
    const std::string own_role = has_roles ? "conformer" : "collaborator";
    const std::string who = "?id=" + stranger_id_;
    for (const std::string& name : {std::string("consumer"), own_role})
        give(admin_.ask("POST", path + "/authorities/" + name + "/grant" + who),
             "a role is granted");
    const sdk::Json team{{"title", "Conformers"}, {"conformance_mark", "of a team"}};
    if (!give(admin_.ask("POST", path + "/teams?key=conformers", sdk::dump_json(team)),
              "a record takes a team"))
        return;
    const std::string conformers = path + "/teams/conformers";
    give(admin_.ask("POST", conformers + "/authorities/" + own_role + "/grant"),
         "a team is granted a role");
    give(admin_.ask("POST", conformers + "/members/add" + who), "a team takes a member");
}

void Suite::check_copy(const std::string& path, const std::string& copy, sdk::Json document) {
    RecordState original = RecordState::read(admin_, path);
    RecordState made = RecordState::read(admin_, copy);
    for (const std::string& unmoved : unmoved_) {
        document.erase(unmoved);
        original.record.erase(unmoved);
        made.record.erase(unmoved);
    }
    const Answer read = admin_.ask("GET", copy);
    check(copy != path && has_members_of(made.record, document),
          "a copy says what the original was told", read);
    check(has_names_of(made.record, original.record), "a copy has the original's members", read);
    check(!original.beside.at("acl").empty(), "a record lists its grants", read);
    for (const auto& [part, what] : original.beside.items()) {
        Answer found;
        found.body = sdk::dump_json(made.beside.at(part)) + " and not " + sdk::dump_json(what);
        check(made.beside.at(part) == what, "a copy has the original's " + part, found);
    }
    if (contained_.empty() || !transferred_.find(path + "/" + contained_)) return;
    const Answer inside = admin_.ask("GET", copy + "/" + contained_);
    const sdk::Json rows = rows_of(inside);
    check(rows.size() == 1 && has_members_of(rows.front(), contained_document_),
          "a copy holds what the original does", inside);
}

void Suite::be_transferred() {
    const TransferredFamily* const family = transferred_.find(collection_);
    if (!transferred_.is_offered() || !family) return;
    const std::string container = TransferredFamilies::container_of(*family, collection_);
    for (sdk::Json document : valid_) {
        const std::string path = collection_ + "/" + create(document);
        furnish(path);
        if (!contained_.empty()) create_inside(path);
        const RecordTransfer transfer(admin_);
        const Answer exported = transfer.export_record(path);
        check(is_finished(exported), "a record is exported", exported);
        sdk::Json substitutions = sdk::Json::object();
        if (document.contains(unique_)) {
            const std::string value = text_of(document, unique_.c_str());
            document[unique_] = value + "-copied";
            substitutions[value] = document[unique_];
        }
        const Answer imported = transfer.import_into(container, "COPY_EVERYTHING", substitutions);
        check(is_finished(imported), "a record is imported", imported);
        if (is_finished(imported)) {
            const std::string copy = collection_ + "/" + imported_id(imported);
            check_copy(path, copy, document);
            check(is_ok(admin_.ask("DELETE", copy)), "a copy is removed", imported);
        }
        const std::uint64_t total = rows_of(admin_.ask("GET", collection_ + "?limit=-1")).size();
        const std::string change = change_by_clone(admin_, path, container);
        Answer cloned;
        cloned.body = change;
        check(change.empty(), "a record that is imported onto itself stays as it is", cloned);
        const Answer list = admin_.ask("GET", collection_ + "?limit=-1");
        check(rows_of(list).size() == total, "and no other one is made", list);
        admin_.ask("DELETE", path);
    }
}

}  // namespace stele::conformance
