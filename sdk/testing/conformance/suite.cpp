#include "suite.hpp"

#include <nlohmann/json.hpp>

#include "answers.hpp"

namespace stele::conformance {

namespace {

std::uint64_t total_of(const Answer& answer) {
    if (answer.status != 200 || !answer.json.is_object()) return 0;
    const auto total = answer.json.find("total_rows");
    return total != answer.json.end() && total->is_number_unsigned() ? total->get<std::uint64_t>()
                                                                     : 0;
}

}  // namespace

Suite::Suite(const sdk::Json& family, const TransferredFamilies& transferred, HttpClient admin,
             HttpClient stranger, std::string stranger_id)
    : transferred_(transferred),
      collection_(text_of(family, "collection")),
      admin_(std::move(admin)),
      stranger_(std::move(stranger)),
      stranger_id_(std::move(stranger_id)) {
    unique_ = text_of(family, "unique");
    is_data_store_ = family.value("data_store", sdk::Json()) == sdk::Json(true);
    const sdk::Json contained = family.value("contained", sdk::Json::object());
    contained_ = text_of(contained, "collection");
    contained_document_ = contained.value("valid", sdk::Json::object());
    for (const auto& document : family.value("valid", sdk::Json::array())) {
        valid_.push_back(document);
    }
    for (const auto& name : family.value("unmoved", sdk::Json::array()))
        unmoved_.push_back(name.get<std::string>());
    for (const auto& document : family.value("invalid", sdk::Json::array())) {
        invalid_.push_back(document);
    }
}

void Suite::check(bool is_right, const std::string& sentence, const Answer& answer) {
    ++checks_;
    if (is_right) return;
    failures_.push_back(sentence + ": " + std::to_string(answer.status) + " " +
                        answer.body.substr(0, 300));
}

std::string Suite::create(const sdk::Json& document) {
    const Answer answer = admin_.ask("POST", collection_, sdk::dump_json(document));
    check(is_ok(answer) && !text_of(answer.json, "_doc").empty(),
          "a valid document is created: " + sdk::dump_json(document), answer);
    return text_of(answer.json, "_doc");
}

std::vector<std::string> Suite::run() {
    create_and_read_back();
    refuse_invalid_documents();
    update_and_remove();
    list_and_page();
    keep_strangers_out();
    grant_and_revoke();
    answer_unknown_records();
    if (is_data_store_) be_a_data_store();
    be_transferred();
    return failures_;
}

void Suite::create_and_read_back() {
    for (const sdk::Json& document : valid_) {
        const std::string path = collection_ + "/" + create(document);
        const Answer first = admin_.ask("GET", path);
        check(first.status == 200 && has_members_of(first.json, document),
              "a created document comes back as it went in", first);
        check(first.json.is_object() && first.json.contains("_system") &&
                  !first.json.contains("ok") && !first.json.contains("error"),
              "a read record has _system and neither ok nor error", first);
        const Answer second = admin_.ask("GET", path);
        check(first.json == second.json, "two reads of an unchanged record are equal", second);
        check(admin_.ask("DELETE", path).status == 200, "a record is removed", first);
    }
}

void Suite::refuse_invalid_documents() {
    const std::uint64_t before = total_of(admin_.ask("GET", collection_));
    const std::string path = collection_ + "/" + create(valid_.front());
    const Answer stored = admin_.ask("GET", path);
    for (const sdk::Json& one : invalid_) {
        const std::string body = sdk::dump_json(one.value("document", sdk::Json::object()));
        const std::string field = text_of(one, "path");
        for (const auto& [method, place] :
             {std::pair{"POST", collection_}, std::pair{"PUT", path}}) {
            const Answer answer = admin_.ask(method, place, body);
            check(is_error(answer, 400), std::string(method) + " of an invalid document is refused",
                  answer);
            bool is_named = false;
            for (const auto& violation : answer.json.value("violations", sdk::Json::array())) {
                is_named = is_named || text_of(violation, "path") == field;
            }
            check(is_named, "the refusal names the field " + field, answer);
        }
    }
    const Answer after = admin_.ask("GET", path);
    check(after.json == stored.json, "a refused update changes nothing", after);
    admin_.ask("DELETE", path);
    const Answer list = admin_.ask("GET", collection_);
    check(total_of(list) == before, "a refused create stores nothing", list);
}

void Suite::update_and_remove() {
    const sdk::Json& document = valid_.back();
    for (const bool is_alias : {false, true}) {
        const std::string path = collection_ + "/" + create(document);
        sdk::Json changed = valid_.front();
        changed["conformance_mark"] = is_alias ? "alias" : "plain";
        const Answer updated = is_alias
                                   ? admin_.ask("POST", path + "/update", sdk::dump_json(changed))
                                   : admin_.ask("PUT", path, sdk::dump_json(changed));
        check(is_ok(updated), "an update is answered with ok", updated);
        const Answer read = admin_.ask("GET", path);
        check(has_members_of(read.json, changed), "an update replaces the fields", read);
        const Answer removed =
            is_alias ? admin_.ask("POST", path + "/delete") : admin_.ask("DELETE", path);
        check(is_ok(removed), "a removal is answered with ok", removed);
        const Answer gone = admin_.ask("GET", path);
        check(is_error(gone, 404), "a removed record is not found", gone);
    }
}

void Suite::list_and_page() {
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        sdk::Json document = valid_.front();
        document["conformance_rank"] = "rank" + std::to_string(4 - i);
        if (!unique_.empty())
            document[unique_] = text_of(document, unique_.c_str()) + std::to_string(i);
        ids.push_back(create(document));
    }
    const std::string query = collection_ + "/query?limit=2&sort=%7B%22conformance_rank%22:1%7D";
    const std::string condition = R"({"conformance_rank":{"$exists":true}})";
    std::vector<std::string> seen;
    for (int skip = 0; skip < 6; skip += 2) {
        const Answer page = admin_.ask("POST", query + "&skip=" + std::to_string(skip), condition);
        check(total_of(page) == 5, "every page knows the total", page);
        for (const auto& row : page.json.value("rows", sdk::Json::array())) {
            seen.push_back(text_of(row, "_doc"));
        }
    }
    check(seen == std::vector<std::string>(ids.rbegin(), ids.rend()),
          "pages follow the sort without gap or overlap", admin_.ask("POST", query, condition));
    const Answer list = admin_.ask("GET", collection_ + "?limit=-1");
    check(total_of(list) >= 5, "a list has the records", list);
    const Answer wrong = admin_.ask("GET", collection_ + "?skip=minus");
    check(is_error(wrong, 400), "a wrong skip is refused", wrong);
    for (const std::string& id : ids)
        admin_.ask("DELETE", collection_ + "/" + id);
}

void Suite::keep_strangers_out() {
    // Some records of a new server, as its first domain, everybody may see.
    const Answer before = stranger_.ask("GET", collection_ + "?limit=-1");
    const std::string id = create(valid_.front());
    const std::string path = collection_ + "/" + id;
    const std::string body = sdk::dump_json(valid_.front());
    for (const auto& [method, place] :
         {std::pair{"GET", path}, std::pair{"PUT", path}, std::pair{"DELETE", path}}) {
        const Answer answer = stranger_.ask(method, place, body);
        check(answer.status == 404 || answer.status == 403,
              std::string(method) + " by a stranger is refused", answer);
    }
    const Answer list = stranger_.ask("GET", collection_ + "?limit=-1");
    check(list.status == before.status && total_of(list) == total_of(before) &&
              list.body.find(id) == std::string::npos,
          "a stranger sees no further row", list);
    const Answer nobody = HttpClient(stranger_).ask("GET", path);
    check(nobody.status != 200, "a stranger does not read the record", nobody);
    admin_.ask("DELETE", path);
}

void Suite::grant_and_revoke() {
    const std::string id = create(valid_.front());
    const std::string path = collection_ + "/" + id;
    const std::string who = "?id=" + stranger_id_;
    const auto may = [&](const char* permission) {
        const Answer answer =
            admin_.ask("POST", path + "/permissions/" + permission + "/check" + who);
        check(is_ok(answer) && answer.json.contains("check"), "a check answers", answer);
        return answer.json.value("check", sdk::Json()) == sdk::Json(true);
    };
    check(!may("READ"), "a stranger may not read at first", {});
    const Answer granted = admin_.ask("POST", path + "/authorities/consumer/grant" + who);
    check(is_ok(granted), "a grant is answered with ok", granted);
    check(may("READ") && !may("UPDATE"), "a consumer may read and not update", {});
    const Answer read = stranger_.ask("GET", path);
    check(read.status == 200, "a consumer reads the record", read);
    const Answer acl = admin_.ask("GET", path + "/acl" + who);
    check(acl.json.value("rows", sdk::Json()) == sdk::Json{"consumer"},
          "the ACL lists the granted role", acl);
    const std::string question = R"({"checks":[{"permissionedId":")" + id + R"(","principalId":")" +
                                 stranger_id_ + R"(","permissionId":"READ"}]})";
    const Answer bulk = admin_.ask("POST", collection_ + "/permissions/check", question);
    check(bulk.json.is_object() && bulk.json.contains("results") &&
              bulk.json["results"] == bulk.json.value("checks", sdk::Json()) &&
              bulk.json["results"].size() == 1,
          "a bulk check answers under checks and results", bulk);
    check(is_ok(admin_.ask("POST", path + "/authorities/all/revoke" + who)),
          "a revoke is answered with ok", {});
    const Answer refused = stranger_.ask("GET", path);
    check(refused.status == 404, "a revoke holds from the next request on", refused);
    admin_.ask("DELETE", path);
}

void Suite::answer_unknown_records() {
    const std::string path = collection_ + "/0123456789abcdef0123";
    for (const auto& [method, place] :
         {std::pair{"GET", path}, std::pair{"PUT", path}, std::pair{"DELETE", path},
          std::pair{"GET", path + "/acl/list"}}) {
        const Answer answer = admin_.ask(method, place, sdk::dump_json(valid_.front()));
        check(is_error(answer, 404), std::string(method) + " of an unknown record is not found",
              answer);
    }
}

}  // namespace stele::conformance
