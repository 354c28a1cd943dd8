#pragma once

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/gifts/gift_archives.hpp"
#include "tests/gifts/gift_world.hpp"
#include "tests/gifts/record_table.hpp"

namespace stele::kernel::gifts {

/// What a step that succeeded gave, beside rights.
struct Taken {
    /// Whose rights the caller got hold of, by a token, a secret or a password.
    std::vector<sdk::RecordKey> principals = {};
    /// Users and groups that the step has made.
    std::vector<sdk::RecordKey> made = {};
    /// What it showed or wrote that the caller may not read or write.
    std::optional<std::string> wrong = {};
};

/// Takes random steps, each a real request: the operations that change rights, with parameters of
/// chance. tests/api/gifts.test.mjs lists them, and those that have tests of their own instead.
class GiftSteps {
public:
    GiftSteps(GiftWorld& world, std::mt19937& random) : world_(world), random_(random) {}

    /// Nothing when the request was refused.
    std::optional<Taken> take(const Person& caller);

    /// What the last step was, for people.
    const std::string& told() const { return told_; }
    /// How often requests of a `METHOD template` succeeded, and imports were finished.
    static std::map<std::string, int>& succeeded();

private:
    using Step = std::optional<Taken> (GiftSteps::*)(const Person&);

    std::optional<Taken> grant(const Person& caller);
    std::optional<Taken> revoke(const Person& caller);
    std::optional<Taken> change_members(const Person& caller);
    std::optional<Taken> make_principal(const Person& caller);
    std::optional<Taken> remove_principal(const Person& caller);
    std::optional<Taken> make_team(const Person& caller);
    std::optional<Taken> change_team(const Person& caller);
    std::optional<Taken> define_role(const Person& caller);
    std::optional<Taken> change_role(const Person& caller);
    std::optional<Taken> change_policy(const Person& caller);
    std::optional<Taken> assign_policy(const Person& caller);
    std::optional<Taken> change_stack(const Person& caller);
    std::optional<Taken> open_store(const Person& caller);
    std::optional<Taken> invite(const Person& caller);
    std::optional<Taken> give_stack(const Person& caller);
    std::optional<Taken> impersonate(const Person& caller);
    std::optional<Taken> change_password(const Person& caller);
    std::optional<Taken> use_grant(const Person& caller);
    std::optional<Taken> link_identity(const Person& caller);
    std::optional<Taken> export_record(const Person& caller);
    std::optional<Taken> import_archive(const Person& caller);

    /// An archive in the vault, and the place that it is about.
    struct Kept {
        Place place;
        std::string artifact;
        bool is_sealed = false;
        bool is_there = false;
    };
    Kept keep_export();
    Kept craft(Place place, const Person& caller, bool is_new);
    const Place& wanted_place(const Person& caller, bool is_new);
    void craft_inner(const Place& place, std::map<std::string, std::string>& files);
    /// What a place lies in; itself where that is no place of the world.
    Place around(const Place& place) const;
    bool has_secrets(const Place& place) const;
    std::string shown_of(const Person& person, const sdk::RecordKey& archive,
                         const std::string& artifact);
    Taken brought(const Person& caller, const RecordTable& before, bool is_finished);
    sdk::Json any_principal();
    sdk::Json ended(const std::string& job);
    bool may(const Person& person, const sdk::RecordKey& record, sdk::Permission permission) const;
    std::string reference_of(const sdk::RecordKey& record);
    bool request(const Person& caller, const std::string& method, const std::string& route,
                 std::vector<std::string> values, GiftServer::Parameters parameters = {},
                 sdk::Json body = sdk::Json::object());
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }
    std::string any_role();
    std::string any_form(const Person& caller);
    const Place& any_place_with_teams();
    std::string new_name();

    GiftWorld& world_;
    std::mt19937& random_;
    GiftServer& server_ = GiftServer::instance();
    sdk::Json reply_;
    std::string refusal_;
    std::string told_;
    struct Team {
        Place place;
        std::string key;
    };
    std::vector<Team> teams_;
    std::vector<Kept> kept_;
    int names_ = 0;
};

}  // namespace stele::kernel::gifts
