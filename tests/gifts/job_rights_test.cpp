// Jobs act with the rights that their starters have when they run.
#include <catch2/catch.hpp>

#include "tests/gifts/gift_archives.hpp"
#include "tests/gifts/gift_server.hpp"

namespace stele::kernel::gifts {

namespace {

const std::string kBranch = "/repositories/{repositoryId}/branches/{branchId}";

/// Two starters with the same rights, of whom one loses them before the jobs run.
class Starters {
public:
    /// On the platform that the server stands on.
    explicit Starters(GiftServer& server) : server_(server), platform_(server.platform()) {
        const sdk::Json made = server_.as_system("POST", "/repositories", {});
        repository_ = made.at("_doc").get<std::string>();
        store_ = server_.key_of({"repository", ""}, repository_);
        branch_ = server_.key_of({"branch", repository_}, "master");
        for (const char* title : {"one", "two"}) {
            server_.as_system("POST", kBranch + "/nodes", {repository_, "master"}, {},
                              {{"title", title}});
        }
        tip_ =
            server_.as_system("GET", kBranch, {repository_, "master"}).at("tip").get<std::string>();
    }

    sdk::SessionPtr make(const std::string& name) {
        const sdk::Json user =
            server_.as_system("POST", "/domains/{domainId}/principals", {"default"}, {},
                              {{"type", "USER"}, {"name", name}});
        const auto session = server_.session_of("default", user.at("_doc").get<std::string>());
        change([&](sdk::Authorities& authorities) -> sdk::Result<void> {
            for (const sdk::RecordKey& record : {server_.platform().root, store_}) {
                auto done = authorities.grant(record, session->principal.key, "collaborator");
                if (!done) return done;
            }
            return authorities.grant(branch_, session->principal.key, "owner");
        });
        return session;
    }

    void take_all(const sdk::SessionPtr& session) {
        change([&](sdk::Authorities& authorities) -> sdk::Result<void> {
            for (const sdk::RecordKey& record : {server_.platform().root, store_, branch_}) {
                auto done = authorities.revoke(record, session->principal.key, "all");
                if (!done) return done;
            }
            return {};
        });
    }

    /// Leaves what the record of the branch allows, and nothing inside it.
    void keep_outside(const sdk::SessionPtr& session) {
        take_all(session);
        change([&](sdk::Authorities& authorities) -> sdk::Result<void> {
            auto done = authorities.grant(store_, session->principal.key, "connector");
            return done ? authorities.grant(branch_, session->principal.key, "collaborator") : done;
        });
    }
    /// The ids of jobs that write to all of the branch.
    std::vector<std::string> start_whole(const sdk::SessionPtr& session) {
        const std::vector<std::string> branch{repository_, "master"};
        const auto id = [&](const std::string& name, GiftServer::Parameters parameters) {
            return value_of(server_.request(session, "POST", kBranch + name, branch,
                                            std::move(parameters), sdk::Json::object()))
                .at("_doc")
                .get<std::string>();
        };
        return {id("/reset/start", {{"id", tip_}}), id("/validate/start", {{"repair", "true"}}),
                id("/admin/content", {}), id("/admin/paths/index", {})};
    }

    /// The ids of the jobs that were started.
    std::vector<std::string> start(const sdk::SessionPtr& session) {
        std::vector<std::string> ids;
        const auto add = [&](const std::string& route, std::vector<std::string> values,
                             GiftServer::Parameters parameters = {},
                             sdk::Json body = sdk::Json::object()) {
            const auto job = server_.request(session, "POST", route, std::move(values),
                                             std::move(parameters), std::move(body));
            ids.push_back(value_of(job).at("_doc").get<std::string>());
        };
        add("/projects/start", {}, {}, {{"title", session->principal.name}});
        add(kBranch + "/history/start", {repository_, "master"});
        add(kBranch + "/reset/start", {repository_, "master"}, {{"id", tip_}});
        add(kBranch + "/diff/start", {repository_, "master"}, {{"id", "master"}});
        add(kBranch + "/validate/start", {repository_, "master"});
        return ids;
    }

    /// The ids of jobs that keep everything on the platform in order.
    std::vector<std::string> start_upkeep(const sdk::SessionPtr& session) {
        change([&](sdk::Authorities& authorities) {
            return authorities.grant(server_.platform().root, session->principal.key, "owner");
        });
        std::vector<std::string> ids;
        for (const char* route : {"/admin/index", "/admin/repair"}) {
            const auto job = server_.request(session, "POST", route, {}, {}, sdk::Json::object());
            ids.push_back(value_of(job).at("_doc").get<std::string>());
        }
        return ids;
    }

    sdk::Json ended(const std::string& id) {
        return value_of(server_.jobs().wait(platform_, id, std::chrono::seconds(60)));
    }
    /// Back to the platform of these.
    void stand() { server_.stand_on(platform_); }
    std::size_t project_count(const std::string& title) {
        return server_.as_system("POST", "/projects/query", {}, {}, {{"title", title}})
            .at("rows")
            .size();
    }

private:
    void change(const std::function<sdk::Result<void>(sdk::Authorities&)>& work) {
        server_.work([&](sdk::Context& context) { return work(context.authorities()); });
    }

    GiftServer& server_;
    sdk::PlatformScope platform_;
    std::string repository_;
    std::string tip_;
    sdk::RecordKey store_;
    sdk::RecordKey branch_;
};

}  // namespace

TEST_CASE("a job does nothing for a starter who has lost the rights before it runs") {
    Starters starters(GiftServer::with_nodes());
    const auto keeper = starters.make("keeper");
    const auto loser = starters.make("loser");
    const auto kept = starters.start(keeper);
    const auto lost = starters.start(loser);
    starters.take_all(loser);
    // What writes to all of a branch takes what is held on everything in it.
    const auto outside = starters.make("outside");
    const auto whole = starters.start_whole(keeper);
    const auto none = starters.start_whole(outside);
    starters.keep_outside(outside);
    const auto kept_upkeep = starters.start_upkeep(starters.make("administrator"));
    const auto deposed = starters.make("deposed");
    const auto lost_upkeep = starters.start_upkeep(deposed);
    starters.take_all(deposed);
    GiftServer::with_nodes().jobs().start_running();
    for (std::size_t i = 0; i < kept_upkeep.size(); ++i) {
        CAPTURE(i);
        CHECK(starters.ended(kept_upkeep[i]).at("state") == "FINISHED");
        CHECK(starters.ended(lost_upkeep[i]).at("state") == "ERROR");
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        CAPTURE(i);
        const sdk::Json done = starters.ended(kept[i]);
        CHECK(done.at("state") == "FINISHED");
        const sdk::Json refused = starters.ended(lost[i]);
        CHECK(refused.at("state") == "ERROR");
        CHECK_FALSE(refused.contains("result"));
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
        CAPTURE(i);
        CHECK(starters.ended(whole[i]).at("state") == "FINISHED");
        CHECK(starters.ended(none[i]).at("state") == "ERROR");
    }
    CHECK(starters.project_count("keeper") == 1);
    CHECK(starters.project_count("loser") == 0);
    GiftServer::with_nodes().jobs().stop();
}

TEST_CASE("a job acts in the tenant in which it was started alone, and for the rights there") {
    GiftServer& server = GiftServer::with_tenants();
    const sdk::PlatformScope first = server.make_platform("first");
    const sdk::PlatformScope second = server.make_platform("second");
    server.stand_on(first);
    Starters here(server);
    // Two of the same name, who each lose their rights in one of the tenants.
    const auto ann = here.make("ann");
    const auto bob = here.make("bob");
    server.stand_on(second);
    Starters there(server);
    const auto other_ann = there.make("ann");
    const auto other_bob = there.make("bob");

    here.stand();
    const auto ann_here = here.start(ann);
    const auto bob_here = here.start(bob);
    there.stand();
    const auto ann_there = there.start(other_ann);
    const auto bob_there = there.start(other_bob);
    here.stand();
    here.take_all(ann);
    there.stand();
    there.take_all(other_bob);
    server.jobs().start_running();
    for (std::size_t i = 0; i < ann_here.size(); ++i) {
        CAPTURE(i);
        CHECK(here.ended(ann_here[i]).at("state") == "ERROR");
        CHECK(here.ended(bob_here[i]).at("state") == "FINISHED");
        CHECK(there.ended(ann_there[i]).at("state") == "FINISHED");
        CHECK(there.ended(bob_there[i]).at("state") == "ERROR");
        // Nobody finds it from another tenant.
        CHECK(server.jobs().wait(second, bob_here[i], std::chrono::seconds(0)).has_error());
    }
    here.stand();
    CHECK(here.project_count("ann") == 0);
    CHECK(here.project_count("bob") == 1);
    there.stand();
    CHECK(there.project_count("ann") == 1);
    CHECK(there.project_count("bob") == 0);
    server.jobs().stop();
}

namespace {

/// A web host, and an archive that changes it and brings a page into it.
class Transfers {
public:
    Transfers() {
        const sdk::Json made = server_.as_system("POST", "/webhosts", {}, {}, {{"title", "host"}});
        host_ = made.at("_doc").get<std::string>();
        key_ = server_.key_of({"webhost", ""}, host_);
        vault_ = server_.key_of({"vault", ""}, "default");
    }

    /// Who may start all that there is to start.
    sdk::SessionPtr make(const std::string& name) {
        const sdk::Json user =
            server_.as_system("POST", "/domains/{domainId}/principals", {"default"}, {},
                              {{"type", "USER"}, {"name", name}});
        const auto session = server_.session_of("default", user.at("_doc").get<std::string>());
        for (const char* role : {"editor", "contributor"})
            grant(key_, session, role);
        grant(vault_, session, "contributor");
        return session;
    }
    void grant(const sdk::RecordKey& record, const sdk::SessionPtr& to, const char* role) {
        server_.work([&](sdk::Context& context) {
            return context.authorities().grant(record, to->principal.key, role);
        });
    }
    void revoke(const sdk::RecordKey& record, const sdk::SessionPtr& of, const char* role) {
        server_.work([&](sdk::Context& context) {
            return context.authorities().revoke(record, of->principal.key, role);
        });
    }

    std::string start_export(const sdk::SessionPtr& session) {
        return start(session, "/export", session->principal.name + "-out");
    }
    /// Its archive is one of its own.
    std::string start_import(const sdk::SessionPtr& session) {
        const std::string& name = session->principal.name;
        const Place host{"/webhosts/{webhostId}", {host_}, key_, true};
        sdk::Json chain;
        server_.work([&](sdk::Context& context) -> sdk::Result<void> {
            chain = chain_of(context, key_);
            return {};
        });
        const std::string folder = folder_of(host);
        const sdk::Json page{{"title", "of " + name}};
        const sdk::Json manifest{{"model", "3.0.0"},
                                 {"group", "walk"},
                                 {"artifact", name},
                                 {"version", "1"},
                                 {"sources", sdk::Json::array({chain})}};
        put_archive(server_, name,
                    {{folder + "/webhost.json", "{}"},
                     {folder + "/pages/" + name + "/page.json", sdk::dump_json(page)},
                     {"manifest.json", sdk::dump_json(manifest)}},
                    {session->principal.key});
        return start(session, "/import", name);
    }
    /// Of the import of this name.
    sdk::RecordKey archive_of(const std::string& name) {
        const sdk::Json found =
            server_.as_system("GET", "/vaults/{vaultId}/archives/lookup", {"default"},
                              {{"group", "walk"}, {"artifact", name}, {"version", "1"}});
        return key_of_archive(server_, found.at("_doc").get<std::string>());
    }
    std::string state_of(const std::string& job) {
        return value_of(server_.jobs().wait(server_.platform(), job, std::chrono::minutes(1)))
            .at("state")
            .get<std::string>();
    }
    std::size_t page_count(const sdk::SessionPtr& session) {
        return server_
            .as_system("POST", "/webhosts/{webhostId}/pages/query", {host_}, {},
                       {{"title", "of " + session->principal.name}})
            .at("rows")
            .size();
    }

    const sdk::RecordKey& host() const { return key_; }
    const sdk::RecordKey& vault() const { return vault_; }

private:
    std::string start(const sdk::SessionPtr& session, const char* verb,
                      const std::string& artifact) {
        const auto job = server_.request(
            session, "POST", std::string("/webhosts/{webhostId}") + verb, {host_},
            {{"group", "walk"}, {"artifact", artifact}, {"version", "1"}}, {{"strategy", "CLONE"}});
        return value_of(job).at("_doc").get<std::string>();
    }

    GiftServer& server_ = GiftServer::instance();
    std::string host_;
    sdk::RecordKey key_;
    sdk::RecordKey vault_;
};

}  // namespace

TEST_CASE("an export or import that waits does nothing for a starter who has lost what it needs") {
    Transfers transfers;
    const auto keeper = transfers.make("keeper");
    const auto blind = transfers.make("blind");
    const auto guest = transfers.make("outsider");
    const std::string out = transfers.start_export(keeper);
    const std::string out_of_blind = transfers.start_export(blind);
    const std::string out_of_guest = transfers.start_export(guest);
    for (const char* role : {"editor", "contributor"})
        transfers.revoke(transfers.host(), blind, role);
    transfers.revoke(transfers.vault(), guest, "contributor");

    const auto reader = transfers.make("reader");
    const auto maker = transfers.make("maker");
    const auto changer = transfers.make("changer");
    const std::string in = transfers.start_import(keeper);
    const std::string in_of_reader = transfers.start_import(reader);
    const std::string in_of_maker = transfers.start_import(maker);
    const std::string in_of_changer = transfers.start_import(changer);
    transfers.revoke(transfers.archive_of("reader"), reader, "consumer");
    // What is left to each would be enough for one part of the import.
    transfers.revoke(transfers.host(), maker, "editor");
    transfers.revoke(transfers.host(), changer, "contributor");

    GiftServer::instance().jobs().start_running();
    for (const std::string& job : {out, in})
        CHECK(transfers.state_of(job) == "FINISHED");
    for (const std::string& job :
         {out_of_blind, out_of_guest, in_of_reader, in_of_maker, in_of_changer}) {
        CAPTURE(job);
        CHECK(transfers.state_of(job) == "ERROR");
    }
    CHECK(transfers.page_count(keeper) == 1);
    for (const auto& lost : {reader, maker, changer})
        CHECK(transfers.page_count(lost) == 0);
    GiftServer::instance().jobs().stop();
}

}  // namespace stele::kernel::gifts
