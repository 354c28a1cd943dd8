// Teams and custom roles as the services keep them, without any plugin.

#include <algorithm>

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"
#include "kernel/resource/record/team_rows.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

class TeamFamily final : public sdk::Resource {
public:
    explicit TeamFamily(sdk::ResourceDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    sdk::ResourceDescriptor describe() const override { return descriptor_; }

private:
    sdk::ResourceDescriptor descriptor_;
};

/// Museums hold exhibits, clubs nothing.
std::vector<std::unique_ptr<sdk::Resource>> team_families() {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    const auto add = [&](const char* type, const char* container, const char* path,
                         bool has_teams) {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = type;
        descriptor.container = container;
        descriptor.path = path;
        descriptor.placeholder = std::string(type) + "Id";
        descriptor.capabilities = {.teams = has_teams, .roles = has_teams};
        families.push_back(std::make_unique<TeamFamily>(std::move(descriptor)));
    };
    add("museum", kPlatformType, "museums", true);
    add("exhibit", "museum", "exhibits", false);
    add("club", kPlatformType, "clubs", true);
    return families;
}

/// Groups among the readers of the fixture.
class TestGroups final : public sdk::TeamGroups {
public:
    explicit TestGroups(TestDirectory& directory) : directory_(directory) {}

    sdk::Result<sdk::Principal> create(sdk::Context& context, std::string_view name) override {
        auto record = context.documents().create({"reader", ""}, {{"title", name}});
        if (!record) return record.error();
        sdk::Principal group;
        group.key = record->key;
        group.kind = sdk::PrincipalKind::group;
        group.id = record->id;
        group.name = name;
        group.domain_id = "default";
        directory_.principals.push_back(group);
        return group;
    }
    sdk::Result<void> remove(sdk::Context& context, const sdk::RecordKey& group) override {
        auto record = context.documents().read(group);
        if (!record) return record.error();
        auto removed = context.documents().remove({"reader", ""}, record->id);
        if (!removed) return removed;
        return context.authorities().forget_principal(group);
    }

private:
    TestDirectory& directory_;
};

struct TeamMuseums : ResourceFixture {
    TeamMuseums() : ResourceFixture(team_families()) {
        services.team_groups = &groups;
        museum = create({"museum", ""}, {{"_doc", "louvre"}});
        create({"exhibit", "louvre"}, {{"_doc", "lisa"}});
    }

    TestGroups groups{directory};
    sdk::RecordKey museum;
    sdk::SessionPtr user = make_user("user");
    sdk::SessionPtr manager = make_user("manager");

    std::string code_of(const sdk::SessionPtr& session, const std::string& method,
                        const std::string& path, sdk::Json body = sdk::Json::object()) {
        const auto reply = request(session, method, path, std::move(body));
        return reply ? "" : reply.error().code;
    }
    void as_owner(const std::string& path) { json(system(), "POST", path); }
    bool sees(const std::string& path) { return code_of(user, "GET", path).empty(); }
};

}  // namespace

TEST_CASE_METHOD(TeamMuseums,
                 "a member of a team has its roles inside the record while it is one") {
    as_owner("/museums/louvre/teams?key=guides");
    as_owner("/museums/louvre/teams/guides/authorities/consumer/grant");
    REQUIRE_FALSE(sees("/museums/louvre/exhibits/lisa"));
    as_owner("/museums/louvre/teams/guides/members/add?id=user");
    CHECK(sees("/museums/louvre"));
    CHECK(sees("/museums/louvre/exhibits/lisa"));
    CHECK(code_of(user, "PUT", "/museums/louvre/exhibits/lisa") == "authority.permission_missing");

    SECTION("until it leaves") {
        as_owner("/museums/louvre/teams/guides/members/remove?id=user");
    }
    SECTION("until the role is taken") {
        as_owner("/museums/louvre/teams/guides/authorities/consumer/revoke");
    }
    SECTION("until all roles are taken") {
        as_owner("/museums/louvre/teams/guides/authorities/all/revoke");
    }
    SECTION("until the team is removed") {
        json(system(), "DELETE", "/museums/louvre/teams/guides");
    }
    CHECK_FALSE(sees("/museums/louvre"));
    CHECK_FALSE(sees("/museums/louvre/exhibits/lisa"));
}

TEST_CASE_METHOD(TeamMuseums, "a plain grant on a record does not open what is inside") {
    grant(museum, user, "consumer");
    CHECK(sees("/museums/louvre"));
    CHECK_FALSE(sees("/museums/louvre/exhibits/lisa"));
}

TEST_CASE_METHOD(TeamMuseums,
                 "the team owners holds the creator, and nobody joins it without owning") {
    grant(platform().root, manager, "collaborator");
    json(manager, "POST", "/clubs", {{"_doc", "chess"}});
    const sdk::Json team = json(manager, "GET", "/clubs/chess/teams/owners");
    CHECK(team.at("roleKeys") == sdk::Json{"owner"});
    CHECK(team.at("teamableObjectId") == "chess");
    CHECK(
        json(manager, "POST", "/clubs/chess/teams/owners/members/check?id=manager").at("belongs") ==
        true);
    CHECK(json(system(), "POST", "/museums/louvre/teams/owners/members/check?id=manager")
              .at("belongs") == false);

    grant(museum, manager, "manager");
    const std::string owners = "/museums/louvre/teams/owners";
    CHECK(code_of(manager, "POST", owners + "/members/add?id=manager") ==
          "authority.group_above_own");
    CHECK(code_of(manager, "DELETE", owners) == "authority.role_above_own");
    CHECK(code_of(system(), "DELETE", owners) == "team.owners_required");
}

TEST_CASE_METHOD(TeamMuseums, "a record takes its teams and roles along") {
    as_owner("/museums/louvre/teams?key=guides");
    json(system(), "POST", "/museums/louvre/roles", {{"roleKey", "guide"}});
    const auto before = value_of(read_teams(*services.engine->snapshot(), museum));
    REQUIRE(before.size() == 2);
    json(system(), "DELETE", "/museums/louvre");
    CHECK(value_of(read_teams(*services.engine->snapshot(), museum)).empty());
    for (const TeamRow& team : before) {
        storage::Record record;
        CHECK_FALSE(
            services.records.read(*services.engine->snapshot(), team.group, record).has_value());
        CHECK_FALSE(value_of(team_of_group(*services.engine->snapshot(), team.group)).has_value());
    }
}

TEST_CASE_METHOD(TeamMuseums, "a role that a manager defines gives no more than the manager has") {
    grant(museum, manager, "manager", true);
    const auto role = [](const char* permission) {
        return sdk::Json{{"roleKey", "guide"}, {"permissions", {permission}}};
    };
    CHECK(code_of(manager, "POST", "/museums/louvre/roles", role("IMPERSONATE")) ==
          "authority.role_above_own");
    CHECK(code_of(manager, "POST", "/museums/louvre/roles", role("read")).empty());
    json(system(), "PUT", "/museums/louvre/roles/guide", role("IMPERSONATE"));
    CHECK(code_of(manager, "PUT", "/museums/louvre/roles/guide", role("read")) ==
          "authority.role_above_own");
    CHECK(code_of(manager, "DELETE", "/museums/louvre/roles/GUIDE") == "authority.role_above_own");
}

TEST_CASE_METHOD(TeamMuseums, "what a manager holds on the record alone it gives there alone") {
    grant(museum, manager, "manager");
    json(manager, "POST", "/museums/louvre/teams?key=guides");
    CHECK(code_of(manager, "POST", "/museums/louvre/teams/guides/authorities/consumer/grant") ==
          "authority.role_above_own");
    CHECK(code_of(manager, "POST", "/museums/louvre/roles",
                  {{"roleKey", "guide"}, {"permissions", {"READ"}}}) == "authority.role_above_own");
    CHECK(code_of(manager, "POST", "/museums/louvre/authorities/manager/grant?id=user").empty());
    grant(museum, manager, "manager", true);
    CHECK(
        code_of(manager, "POST", "/museums/louvre/teams/guides/authorities/manager/grant").empty());
}

TEST_CASE_METHOD(TeamMuseums, "a changed role means something else at once") {
    json(system(), "POST", "/museums/louvre/roles",
         {{"roleKey", "guide"}, {"permissions", {"CONNECT", "READ"}}});
    grant(museum, user, "guide", true);
    REQUIRE(sees("/museums/louvre/exhibits/lisa"));
    json(system(), "PUT", "/museums/louvre/roles/guide", {{"permissions", {"CONNECT"}}});
    CHECK(code_of(user, "GET", "/museums/louvre/exhibits/lisa") == "authority.permission_missing");
    json(system(), "DELETE", "/museums/louvre/roles/guide");
    CHECK(code_of(user, "GET", "/museums/louvre/exhibits/lisa") == "document.unknown");
}

TEST_CASE_METHOD(TeamMuseums, "a record from before there were teams gets its owners, once") {
    services.team_groups = nullptr;
    const sdk::RecordKey old = create({"club", ""}, {{"_doc", "old"}});
    grant(old, user, "owner");
    grant(old, manager, "manager");
    expect(give_standard_teams(services));
    REQUIRE(value_of(read_teams(*services.engine->snapshot(), old)).empty());
    services.team_groups = &groups;
    for (int round = 0; round < 2; ++round) {
        expect(give_standard_teams(services));
        const auto teams = value_of(read_teams(*services.engine->snapshot(), old));
        REQUIRE(teams.size() == 1);
        const auto members = value_of(services.authorities.members(
            *services.engine->snapshot(), teams.front().group, sdk::MemberKind::any, false));
        CHECK(members == std::vector<sdk::RecordKey>{user->principal.key});
    }
    CHECK(value_of(read_teams(*services.engine->snapshot(), museum)).size() == 1);
}

TEST_CASE_METHOD(TeamMuseums,
                 "a check tells which teams, records and groups do not belong together") {
    const auto differences = [this] { return check_store(services); };
    REQUIRE(differences().empty());
    const sdk::RecordKey group =
        value_of(read_teams(*services.engine->snapshot(), museum)).front().group;
    const std::string team_row = sdk::KeyWriter(storage::kind_prefix(1, storage::kTeamTag))
                                     .raw(museum)
                                     .text(kOwnersTeam)
                                     .key();
    const std::string group_row =
        sdk::KeyWriter(storage::kind_prefix(1, storage::kTeamGroupTag)).raw(group).key();
    const std::string other = storage::record_key({1, 1}, storage::next_sequence());
    const auto id_of = [](const sdk::RecordKey& key) {
        return storage::sequence_text(storage::sequence_of(key));
    };
    const std::string team = "platform 1: team owners of record " + id_of(museum) + ": ";
    const std::string group_of = "platform 1: group " + id_of(group) + ": ";
    struct Damage {
        std::string key;
        std::optional<std::string> value;
        std::vector<std::string> told;
    };
    for (const Damage& damage : std::vector<Damage>{
             {group_row, {}, {team + "its group does not name it"}},
             {team_row, {}, {group_of + "its team is gone"}},
             {team_row, "?", {team + "its row cannot be read"}},
             {group_row, "?", {group_of + "the row of its team cannot be read"}},
             {group_row,
              sdk::KeyWriter().text(other).text(kOwnersTeam).key(),
              {team + "its group does not name it", group_of + "its team is gone"}},
             {team_row,
              sdk::KeyWriter().text(other).raw("{}").key(),
              {team + "its group is gone", team + "its group does not name it",
               group_of + "its team has another group"}},
         }) {
        std::string whole;
        expect(sdk::write_with_retry(*services.engine, [&](sdk::Transaction& transaction) {
            whole = *value_of(transaction.get(damage.key));
            transaction.remove(damage.key);
            if (damage.value) transaction.put(damage.key, *damage.value);
            return sdk::Result<void>();
        }));
        CHECK(differences() == damage.told);
        expect(sdk::write_with_retry(*services.engine, [&](sdk::Transaction& transaction) {
            transaction.put(damage.key, whole);
            return sdk::Result<void>();
        }));
        REQUIRE(differences().empty());
    }
    // A team that outlived its record, with a group that is gone, too.
    expect(sdk::write_with_retry(*services.engine, [&](sdk::Transaction& transaction) {
        write_team(transaction, other, {"late", other, {}});
        return sdk::Result<void>();
    }));
    const std::string late = "platform 1: team late of record " + id_of(other) + ": ";
    CHECK(differences() ==
          std::vector<std::string>{late + "the record is gone", late + "its group is gone"});
}

TEST_CASE_METHOD(TeamMuseums, "a check misses the team owners that a record must have") {
    expect(give_standard_teams(services));
    grant(platform().root, user, "owner");
    const auto differences = [this] { return check_store(services); };
    as_owner("/teams?key=owners");
    const TeamRow team = *value_of(read_team(*services.engine->snapshot(), museum, kOwnersTeam));
    const auto erase = [&] {
        expect(sdk::write_with_retry(*services.engine, [&](sdk::Transaction& transaction) {
            erase_team(transaction, museum, team);
            return sdk::Result<void>();
        }));
    };
    REQUIRE(differences().empty());
    erase();
    CHECK(differences() ==
          std::vector<std::string>{"platform 1: museum louvre: it has no team owners"});
    // Where nothing keeps groups, nothing keeps teams.
    services.team_groups = nullptr;
    CHECK(differences().empty());
    services.team_groups = &groups;
    // The platform may do without.
    json(system(), "DELETE", "/teams/owners");
    CHECK(differences().size() == 1);
}

TEST_CASE_METHOD(TeamMuseums, "the platform keeps somebody who owns it") {
    grant(platform().root, user, "owner");
    json(user, "POST", "/teams?key=chiefs");
    json(user, "POST", "/teams/chiefs/authorities/owner/grant");
    // A team without members owns nothing.
    CHECK(code_of(user, "POST", "/authorities/owner/revoke?id=user") == "authority.last_owner");
    json(user, "POST", "/teams/chiefs/members/add?id=manager");
    CHECK(code_of(user, "POST", "/authorities/owner/revoke?id=user").empty());
    for (const char* path :
         {"/teams/chiefs/members/remove?id=manager", "/teams/chiefs/authorities/owner/revoke"}) {
        CHECK(code_of(manager, "POST", path) == "authority.last_owner");
    }
    CHECK(code_of(manager, "DELETE", "/teams/chiefs") == "authority.last_owner");
}

TEST_CASE_METHOD(TeamMuseums,
                 "a team whose group owns the platform is changed by owners alone, and keeps one") {
    grant(museum, manager, "manager");
    as_owner("/museums/louvre/teams?key=guides");
    const sdk::RecordKey group =
        value_of(read_team(*services.engine->snapshot(), museum, "guides"))->group;
    const sdk::SessionPtr outer = make_user("outer");
    SECTION("by itself") {
        as_system([&](sdk::Context& context) {
            return context.authorities().grant(platform().root, group, "owner");
        });
    }
    SECTION("through another group") {
        grant(platform().root, outer, "owner");
        directory.principals.back().kind = sdk::PrincipalKind::group;
        as_system([&](sdk::Context& context) {
            return context.authorities().add_member(outer->principal.key, group,
                                                    sdk::PrincipalKind::group);
        });
    }
    const std::string guides = "/museums/louvre/teams/guides";
    as_owner(guides + "/members/add?id=user");
    REQUIRE(sees("/museums/louvre"));
    CHECK(code_of(manager, "POST", guides + "/members/add?id=manager") ==
          "authority.group_above_own");
    for (const std::string& change : {guides + "/members/remove?id=user", guides + "/delete"})
        CHECK(code_of(manager, "POST", change) == "authority.role_above_own");
    CHECK(code_of(user, "POST", guides + "/members/remove?id=user") == "authority.last_owner");
    CHECK(code_of(system(), "POST", guides + "/delete") == "authority.last_owner");
    CHECK(code_of(user, "POST", guides + "/members/add?id=manager").empty());
    CHECK(code_of(manager, "POST", guides + "/members/remove?id=user").empty());
}

TEST_CASE_METHOD(TeamMuseums, "a platform that nobody owns loses no owner") {
    as_owner("/teams?key=chiefs");
    as_owner("/teams/chiefs/authorities/owner/grant");
    as_owner("/teams/chiefs/members/add?id=user");
    directory.principals.front().enabled = false;
    CHECK(code_of(system(), "POST", "/teams/chiefs/members/remove?id=manager").empty());
    CHECK(code_of(system(), "POST", "/teams/chiefs/members/remove?id=user").empty());
    CHECK(code_of(system(), "POST", "/teams/chiefs/authorities/owner/revoke").empty());
    CHECK(code_of(system(), "POST", "/authorities/owner/revoke?id=user").empty());
    CHECK(code_of(system(), "DELETE", "/teams/chiefs").empty());
}

TEST_CASE_METHOD(TeamMuseums, "whoever cannot log in does not keep the platform") {
    grant(platform().root, user, "owner");
    grant(platform().root, manager, "owner");
    const auto known =
        std::find_if(directory.principals.begin(), directory.principals.end(),
                     [&](const sdk::Principal& one) { return one.key == manager->principal.key; });
    known->enabled = false;
    CHECK(code_of(user, "POST", "/authorities/owner/revoke?id=user") == "authority.last_owner");
    known->enabled = true;
    directory.locked_out.insert(manager->principal.key);
    CHECK(code_of(user, "POST", "/authorities/owner/revoke?id=user") == "authority.last_owner");
    directory.locked_out.clear();
    CHECK(code_of(user, "POST", "/authorities/owner/revoke?id=user").empty());
}

}  // namespace stele::kernel::resource::testing
