// What the capability `data_store` promises, from outside (docs/reference/data-stores.md).

#include <cstdint>

#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "suite.hpp"

namespace stele::conformance {

namespace {

bool has(const sdk::Json& record, const char* name, const sdk::Json& value) {
    return member_of(record, name) == value;
}

}  // namespace

void Suite::be_a_data_store() {
    keep_what_the_server_sets();
    lock_and_unlock();
    break_a_lock();
    if (contained_.empty()) return;
    count_what_it_holds();
    keep_within_its_size();
    open_to_everybody();
}

sdk::Json Suite::read(const std::string& path) {
    return admin_.ask("GET", path).json;
}

Answer Suite::change(const std::string& path, const sdk::Json& members) {
    sdk::Json record = read(path);
    for (const auto& [name, value] : members.items())
        record[name] = value;
    return admin_.ask("PUT", path, sdk::dump_json(record));
}

std::string Suite::create_inside(const std::string& store) {
    const Answer made =
        admin_.ask("POST", store + "/" + contained_, sdk::dump_json(contained_document_));
    check(is_ok(made), "a data store takes a record", made);
    return store + "/" + contained_ + "/" + text_of(made.json, "_doc");
}

void Suite::keep_what_the_server_sets() {
    const sdk::Json forged = {{"datastoreId", "x"}, {"datastoreTypeId", "x"},
                              {"locked", true},     {"lockedBy", "somebody"},
                              {"size", 7},          {"statisticsDirty", true}};
    // Of a family whose stores are never empty they are stale from the beginning.
    const std::string plain = collection_ + "/" + create(sdk::Json::object());
    const sdk::Json is_stale = member_of(read(plain), "statisticsDirty");
    admin_.ask("DELETE", plain);
    const std::string id = create(forged);
    const std::string path = collection_ + "/" + id;
    const auto is_kept = [&] {
        const sdk::Json record = read(path);
        return has(record, "datastoreId", id) && !has(record, "datastoreTypeId", "x") &&
               has(record, "locked", false) && !record.contains("lockedBy") &&
               has(record, "size", 0) && has(record, "statisticsDirty", is_stale);
    };
    check(is_kept(), "a create does not set what the server sets", admin_.ask("GET", path));
    const sdk::Json record = read(path);
    check(has(record, "enableAuthorities", true) && has(record, "maxsize", -1) &&
              has(record, "objectcount", 0),
          "a data store has its defaults", admin_.ask("GET", path));
    admin_.ask("PUT", path, sdk::dump_json(forged));
    check(is_kept(), "an update does not set what the server sets", admin_.ask("GET", path));
    admin_.ask("DELETE", path);
}

void Suite::lock_and_unlock() {
    const std::string path = collection_ + "/" + create(valid_.front());
    const std::string body = sdk::dump_json(valid_.front());
    admin_.ask("POST", path + "/authorities/collaborator/grant?id=" + stranger_id_);
    const Answer locked = admin_.ask("POST", path + "/lock");
    check(is_ok(locked) && has(locked.json, "locked", true), "a store is locked", locked);
    const std::string holder = text_of(read(path), "lockedBy");
    check(!holder.empty(), "a locked store names the holder", admin_.ask("GET", path));
    check(is_ok(admin_.ask("POST", path + "/lock")), "the holder may lock again", {});
    check(is_ok(change(path, {{"description", "by the holder"}})), "the holder may write", {});
    check(has(read(path), "locked", true), "a write does not unlock", {});
    const Answer refused = stranger_.ask("PUT", path, body);
    check(is_error(refused, 423) &&
              text_of(refused.json, "message").find(holder) != std::string::npos,
          "others wait and are told the holder", refused);
    check(is_error(stranger_.ask("DELETE", path), 423), "others cannot remove it", {});
    check(stranger_.ask("GET", path).status == 200, "others may read", {});
    const Answer foreign = stranger_.ask("POST", path + "/unlock");
    check(is_error(foreign, 403), "a collaborator cannot unlock it", foreign);
    const Answer unlocked = admin_.ask("POST", path + "/unlock");
    check(
        is_ok(unlocked) && has(unlocked.json, "locked", false) && !read(path).contains("lockedBy"),
        "the holder unlocks", unlocked);
    check(is_ok(stranger_.ask("PUT", path, body)), "an unlocked store is written again", {});
    admin_.ask("DELETE", path);
}

void Suite::break_a_lock() {
    const std::string path = collection_ + "/" + create(valid_.front());
    check(stranger_.ask("POST", path + "/lock").status == 404, "a stranger cannot lock", {});
    admin_.ask("POST", path + "/authorities/manager/grant?id=" + stranger_id_);
    check(is_ok(stranger_.ask("POST", path + "/lock")), "a manager locks", {});
    const Answer refused = change(path, {{"description", "x"}});
    check(is_error(refused, 423), "a lock keeps owners out, too", refused);
    check(is_ok(admin_.ask("POST", path + "/unlock")), "an owner breaks the lock", {});
    check(is_ok(change(path, {{"description", "x"}})), "a broken lock is gone", {});
    admin_.ask("DELETE", path);
}

void Suite::count_what_it_holds() {
    const std::string path = collection_ + "/" + create(valid_.front());
    std::vector<std::string> inside;
    std::size_t bytes = 0;
    for (int i = 0; i < 3; ++i) {
        inside.push_back(create_inside(path));
        bytes += admin_.ask("GET", inside.back()).body.size();
    }
    check(has(read(path), "statisticsDirty", true), "a write marks the statistics as stale", {});
    const Answer counted = admin_.ask("POST", path + "/stats");
    check(is_ok(counted) && has(counted.json, "objectcount", 3) &&
              has(counted.json, "size", bytes) && has(counted.json, "statisticsDirty", false) &&
              counted.json.contains("statisticsDate"),
          "statistics are what is in the store", counted);
    for (const std::string& one : inside)
        admin_.ask("DELETE", one);
    const Answer empty = admin_.ask("POST", path + "/stats");
    check(has(empty.json, "objectcount", 0) && has(empty.json, "size", 0),
          "an emptied store holds nothing", empty);
    admin_.ask("DELETE", path);
}

void Suite::keep_within_its_size() {
    const std::string path = collection_ + "/" + create(valid_.front());
    const std::string inside = create_inside(path);
    const sdk::Json size = member_of(admin_.ask("POST", path + "/stats").json, "size");
    check(size.is_number_integer(), "statistics have a size", {});
    if (!size.is_number_integer()) return;
    // Room for one and not for two: times are written with more or fewer digits.
    const std::int64_t bound = size.get<std::int64_t>() * 3 / 2;
    check(is_ok(change(path, {{"maxsize", bound}})), "a store can be bounded", {});
    const std::string collection = path + "/" + contained_;
    const Answer refused = admin_.ask("POST", collection, sdk::dump_json(contained_document_));
    check(is_error(refused, 507), "a full store takes nothing more", refused);
    check(member_of(read(collection), "total_rows") == sdk::Json(1), "and nothing is stored", {});
    check(is_ok(admin_.ask("DELETE", inside)), "a full store gives up what it holds", {});
    create_inside(path);
    admin_.ask("DELETE", path);
}

void Suite::open_to_everybody() {
    const std::string path = collection_ + "/" + create(valid_.front());
    const std::string inside = create_inside(path);
    check(stranger_.ask("GET", inside).status == 404, "a stranger reads nothing inside", {});
    check(is_ok(change(path, {{"enableAuthorities", false}})), "authorities are switched off", {});
    check(stranger_.ask("GET", inside).status == 200, "then everybody reads what is inside", {});
    check(
        member_of(stranger_.ask("GET", path + "/" + contained_).json, "total_rows") == sdk::Json(1),
        "and lists it", {});
    check(stranger_.ask("DELETE", path).status == 403, "but nobody removes the store", {});
    check(is_ok(change(path, {{"enableAuthorities", true}})), "authorities are switched on", {});
    check(stranger_.ask("GET", inside).status == 404, "and hold from the next request on", {});
    admin_.ask("DELETE", path);
}

}  // namespace stele::conformance
