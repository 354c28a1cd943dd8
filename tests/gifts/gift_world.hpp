#pragma once

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/gifts/gift_server.hpp"

namespace stele::kernel::gifts {

/// Something that is granted on, has teams or is a member: its path in templates and their values.
struct Place {
    std::string route;
    std::vector<std::string> values;
    sdk::RecordKey key;
    bool has_teams = false;

    std::string id() const { return values.empty() ? std::string() : values.back(); }
};

/// Values of a place's path with one more.
inline std::vector<std::string> with(std::vector<std::string> values, const std::string& last) {
    values.push_back(last);
    return values;
}

struct Person {
    sdk::SessionPtr session;
    std::string domain;
    std::string id;
    Place identity;

    const sdk::RecordKey& key() const { return session->principal.key; }
    std::string form() const { return domain + "/" + id; }
};

/// A domain with users and groups, data stores with something inside, a stack, policies, an
/// authentication grant and a project. A copy is the same world.
class GiftWorld {
public:
    explicit GiftWorld(std::mt19937& random);
    /// Gives rights at random, once. Users beside the last one own nothing but what they come to
    /// make.
    void deal(std::mt19937& random);

    std::vector<Person> users;
    /// May do everything and gives nobody anything.
    Person keeper;
    /// Has grants and does nothing; nobody else may READ it, but whoever reaches all domains.
    sdk::RecordKey ghost;
    /// Where everybody may keep archives, unless a policy takes that.
    sdk::RecordKey vault;
    std::vector<Place> groups;
    std::vector<Place> places;
    std::vector<Place> stores;
    std::vector<Place> policies;
    Place stack;
    /// Where the first user manages the record alone, and which has a team without roles, `crew`.
    Place focus;
    std::string crew;
    Place project;
    /// Stacks that the project may get.
    std::vector<Place> stacks;
    Place grant;
    std::size_t grant_owner = 0;
    Place client;
    std::string domain;

    /// The users who act.
    std::size_t actor_count() const { return users.size() - 1; }
    std::string reference(const std::string& id, bool is_group) const;
    /// `domain/id` of every user and group.
    std::vector<std::string> forms;
    std::vector<sdk::RecordKey> principals;

    /// What every principal may do with every record.
    using Table = std::map<std::pair<sdk::RecordKey, sdk::RecordKey>, sdk::PermissionSet>;
    Table table() const;
    sdk::PermissionSet permissions(const sdk::Reader& reader, const sdk::RecordKey& principal,
                                   const sdk::RecordKey& record) const;
    bool is_gone(const sdk::RecordKey& record) const;
    std::vector<sdk::RecordKey> records;

private:
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(*random_);
    }
    Place make(const std::string& route, std::vector<std::string> values,
               const sdk::CollectionName& collection, sdk::Json fields);
    Person make_person(const std::string& name);
    void make_user(const std::string& name);
    void make_ghost();
    void open_vault();
    void make_places();
    void make_policies();
    void give_rights();
    void set_focus();
    void hold_down();

    std::mt19937* random_;
    GiftServer& server_ = GiftServer::instance();
};

}  // namespace stele::kernel::gifts
