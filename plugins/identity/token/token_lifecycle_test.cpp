#include <functional>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/context.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "sdk/testing/memory_engine.hpp"
#include "session_epochs.hpp"
#include "session_keys.hpp"
#include "session_rows.hpp"
#include "token_authenticator.hpp"
#include "token_issuer.hpp"

using namespace stele;
using namespace stele::identity;

namespace {

constexpr std::uint64_t kPlatform = 7;

std::string space_of(std::string_view name) {
    return "shared/" + std::string(name) + "/";
}

[[noreturn]] void not_here() {
    throw std::logic_error("the fake does not have this");
}

/// A transaction and a platform; nothing else is needed for tokens.
class FakeContext final : public sdk::Context {
public:
    explicit FakeContext(sdk::Engine& engine) : transaction_(engine.begin()) {
        session_.platform.number = kPlatform;
    }

    const sdk::Session& session() const override { return session_; }
    sdk::Documents& documents() override { not_here(); }
    sdk::Authorities& authorities() override { not_here(); }
    sdk::DataStores& data_stores() override { not_here(); }
    sdk::Transaction& transaction() override { return *transaction_; }
    std::string key_space(std::string_view) override { not_here(); }
    std::string shared_key_space(std::string_view name) override { return space_of(name); }
    sdk::ContextPart* part(std::string_view) override { not_here(); }
    void keep(std::string_view, std::unique_ptr<sdk::ContextPart>) override { not_here(); }
    void after_commit(std::function<void()>) override { not_here(); }
    sdk::Result<std::string> reference(const sdk::RecordKey&) override { not_here(); }
    sdk::Result<sdk::RecordKey> find_reference(std::string_view) override { not_here(); }
    sdk::Result<sdk::Json> read_reference(std::string_view) override { not_here(); }
    sdk::Context& as_system() override { return *this; }

private:
    std::unique_ptr<sdk::Transaction> transaction_;
    sdk::Session session_;
};

class FakeRegistrar final : public sdk::Registrar {
public:
    explicit FakeRegistrar(sdk::Engine& engine) : engine_(engine) {}

    void add(std::unique_ptr<sdk::Resource>) override { not_here(); }
    void add(sdk::Endpoint) override { not_here(); }
    void add(std::string, std::unique_ptr<sdk::BlobStore>) override { not_here(); }
    void on_install(std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)>) override {
        not_here();
    }
    void on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)>) override {
        not_here();
    }
    std::string setting(sdk::Setting) override { not_here(); }
    sdk::Engine& engine() override { return engine_; }
    std::string shared_key_space(std::string_view name) override { return space_of(name); }
    sdk::Result<void> run_as_system(
        const sdk::PlatformScope&,
        const std::function<sdk::Result<void>(sdk::Context&)>&) override {
        not_here();
    }
    sdk::Result<sdk::PlatformScope> find_platform(std::uint64_t number) override {
        return sdk::PlatformScope{number, "platform", "root"};
    }
    sdk::PlatformScope root_platform() override { not_here(); }

private:
    void publish_typed(std::type_index, void*) override { not_here(); }
    void* find_typed(std::type_index) override { not_here(); }

    sdk::Engine& engine_;
};

/// A store with one user and one client, and what works on tokens.
struct World {
    World() : registrar(engine), authenticator(registrar, 1000), issuer(registrar, {1000, 2000}) {
        client.key = "client record";
        client.fields = {{"key", "the client"}};
        user.key = "user record";
        user.name = "user";
        write([&](sdk::Context& context) { put_user(context, true); });
        write([&](sdk::Context& context) { put_client(context, true); });
    }

    void write(const std::function<void(sdk::Context&)>& work) {
        FakeContext context(engine);
        work(context);
        REQUIRE(sdk::commit_and_wait(context.transaction()).has_value());
    }
    void put_user(sdk::Context& context, bool enabled) {
        PrincipalRow row{user, {}};
        row.principal.enabled = enabled;
        context.transaction().put(keys.principal(user.key), row.encode());
    }
    void put_client(sdk::Context& context, bool enabled) {
        context.transaction().put(keys.client(client.key),
                                  ClientRow{"the client", enabled}.encode());
    }
    IssuedTokens issue(std::string_view scope = "api") {
        IssuedTokens issued;
        write([&](sdk::Context& context) {
            issued = issuer.issue(context, client, user, scope).value();
        });
        return issued;
    }
    /// An access token whose time is over after so long.
    std::int64_t put_access(const std::string& token, std::int64_t milliseconds) {
        const std::int64_t end = sdk::now_ms() + milliseconds;
        write([&](sdk::Context& context) {
            const AccessRow row{kPlatform, user.key, client.key, end, "refresh digest", "", {}};
            context.transaction().put(keys.access(sdk::token_digest(token)), row.encode());
        });
        return end;
    }
    sdk::Result<IssuedTokens> refresh(const std::string& token) {
        sdk::Result<IssuedTokens> issued = IssuedTokens{};
        write([&](sdk::Context& context) { issued = issuer.refresh(context, client, token); });
        return issued;
    }
    /// The token at one of the places where a request may have it.
    auto present(sdk::CredentialPart::Place place, const std::string& token) {
        for (const sdk::CredentialPart& part : token_parts())
            if (part.place == place) return authenticator.authenticate({&part, token});
        return authenticator.authenticate({});
    }
    bool accepts(const std::string& token) {
        auto session = present(sdk::CredentialPart::Place::authorization, token);
        if (!session) CHECK(session.error().protocol_error == "invalid_token");
        return session.has_value();
    }
    void expire(const std::string& token, bool all) {
        write([&](sdk::Context& context) {
            REQUIRE(issuer.expire(context, sdk::token_digest(token), all).has_value());
        });
    }
    std::size_t row_count(RowTag tag) {
        const auto reader = engine.snapshot();
        const std::string begin = keys.prefix() + static_cast<char>(tag);
        const auto cursor = reader->scan({begin, begin + "\xff"}, sdk::ScanDirection::forward);
        std::size_t count = 0;
        for (; cursor->is_valid(); cursor->next())
            ++count;
        return count;
    }

    sdk::testing::MemoryEngine engine;
    FakeRegistrar registrar;
    SessionKeys keys{space_of(kSessionSpace)};
    TokenAuthenticator authenticator;
    TokenIssuer issuer;
    sdk::Document client;
    sdk::Principal user;
};

}  // namespace

TEST_CASE("an issued token stands for its user, client and platform") {
    World world;
    const IssuedTokens issued = world.issue();
    CHECK(issued.expires_in_seconds == 1000);
    CHECK(issued.scope == "api");
    for (int i = 0; i < 2; ++i) {  // from the store, then from memory
        auto session = world.present(sdk::CredentialPart::Place::parameter, issued.access_token);
        REQUIRE(session.has_value());
        CHECK((*session)->principal.name == "user");
        CHECK((*session)->client_key == "the client");
        CHECK((*session)->platform.number == kPlatform);
        CHECK((*session)->expires_at_ms > sdk::now_ms());
    }
}

TEST_CASE("a ticket may be percent-encoded, the bearer token is as it stands") {
    World world;
    const std::string token = world.issue().access_token;
    constexpr char kDigits[] = "0123456789ABCDEF";
    const std::string encoded =
        std::string("%") + kDigits[token[0] / 16] + kDigits[token[0] % 16] + token.substr(1);
    using enum sdk::CredentialPart::Place;
    CHECK(world.present(header, token).has_value());
    CHECK(world.present(header, encoded).has_value());
    CHECK(world.present(cookie, token).has_value());
    CHECK(world.present(cookie, encoded).has_value());
    CHECK_FALSE(world.present(authorization, encoded).has_value());
    CHECK_FALSE(world.authenticator.authenticate({}).has_value());
    CHECK_FALSE(world.accepts(token + "x"));
}

TEST_CASE("a refresh gives another access token for the same refresh token") {
    World world;
    const IssuedTokens first = world.issue();
    std::string last = first.access_token;
    for (int i = 0; i < 3; ++i) {
        auto refreshed = world.refresh(first.refresh_token);
        REQUIRE(refreshed.has_value());
        CHECK(refreshed->refresh_token == first.refresh_token);
        CHECK(refreshed->access_token != last);
        last = refreshed->access_token;
        CHECK(world.accepts(last));
    }
    CHECK(world.accepts(first.access_token));
}

TEST_CASE("a refresh keeps the scope that the first token had, however often") {
    World world;
    for (const std::string scope : {"read write", "api", ""}) {
        INFO("scope '" << scope << "'");
        const IssuedTokens first = world.issue(scope);
        CHECK(first.scope == scope);
        for (int i = 0; i < 2; ++i)
            CHECK(world.refresh(first.refresh_token)->scope == scope);
    }
}

TEST_CASE("a session that is kept in memory ends with its token") {
    World world;
    // Longer each time, for a slow machine: it must be seen to count first.
    std::int64_t end = 0;
    bool has_counted = false;
    for (std::int64_t patience = 50; !has_counted; patience *= 2) {
        end = world.put_access("short", patience);
        has_counted = world.accepts("short");
    }
    while (sdk::now_ms() < end)
        std::this_thread::yield();
    for (const sdk::CredentialPart& part : token_parts()) {
        const auto session = world.authenticator.authenticate({&part, "short"});
        REQUIRE(session.has_error());
        CHECK(session.error().protocol_error == "invalid_token");
    }
}

TEST_CASE("a refresh token counts with its own client only, and is no access token") {
    World world;
    const IssuedTokens issued = world.issue();
    CHECK_FALSE(world.accepts(issued.refresh_token));
    for (const std::string& wrong : {issued.access_token, std::string("x"), std::string()}) {
        auto refused = world.refresh(wrong);
        REQUIRE(refused.has_error());
        CHECK(refused.error().protocol_error == "invalid_grant");
    }
    world.client.key = "other client record";
    CHECK_FALSE(world.refresh(issued.refresh_token).has_value());
}

TEST_CASE("an expired token ends alone, with all it takes its refresh token and siblings along") {
    World world;
    const IssuedTokens first = world.issue();
    const IssuedTokens other = world.issue();
    const std::string second = world.refresh(first.refresh_token)->access_token;
    REQUIRE(world.accepts(first.access_token));
    REQUIRE(world.accepts(second));

    world.expire(first.access_token, false);
    CHECK_FALSE(world.accepts(first.access_token));
    CHECK(world.accepts(second));

    const std::string third = world.refresh(first.refresh_token)->access_token;
    REQUIRE(world.accepts(third));
    world.expire(third, true);
    CHECK_FALSE(world.accepts(second));
    CHECK_FALSE(world.accepts(third));
    CHECK_FALSE(world.refresh(first.refresh_token).has_value());
    CHECK(world.accepts(other.access_token));
    CHECK(world.refresh(other.refresh_token).has_value());
}

TEST_CASE("a disabled user or client loses its tokens at once") {
    World world;
    const IssuedTokens issued = world.issue();
    REQUIRE(world.accepts(issued.access_token));
    world.write([&](sdk::Context& context) { world.put_user(context, false); });
    CHECK_FALSE(world.accepts(issued.access_token));
    CHECK_FALSE(world.refresh(issued.refresh_token).has_value());
    world.write([&](sdk::Context& context) { world.put_user(context, true); });

    world.write([&](sdk::Context& context) { world.put_client(context, false); });
    CHECK_FALSE(world.accepts(issued.access_token));
    world.write([&](sdk::Context& context) { world.put_client(context, true); });
    CHECK(world.accepts(issued.access_token));
}

TEST_CASE("a removed user loses its tokens at once") {
    World world;
    const IssuedTokens issued = world.issue();
    REQUIRE(world.accepts(issued.access_token));
    world.write([&](sdk::Context& context) {
        context.transaction().remove(world.keys.principal(world.user.key));
    });
    CHECK_FALSE(world.accepts(issued.access_token));
    CHECK_FALSE(world.refresh(issued.refresh_token).has_value());
}

TEST_CASE("ended sessions stay ended, and those that come later count") {
    World world;
    const IssuedTokens first = world.issue();
    const IssuedTokens second = world.issue();
    REQUIRE(world.accepts(first.access_token));
    world.write(
        [&](sdk::Context& context) { REQUIRE(end_sessions(context, world.user.key).has_value()); });
    for (const IssuedTokens& ended : {first, second}) {
        CHECK_FALSE(world.accepts(ended.access_token));
        CHECK_FALSE(world.refresh(ended.refresh_token).has_value());
    }
    const IssuedTokens third = world.issue();
    CHECK(world.accepts(third.access_token));
    CHECK(world.refresh(third.refresh_token).has_value());
    CHECK_FALSE(world.accepts(first.access_token));
}

TEST_CASE("a password ends the sessions of every user of its identity") {
    World world;
    const IssuedTokens issued = world.issue();
    world.write([&](sdk::Context& context) {
        context.transaction().put(world.keys.identity_user("identity", world.user.key), "platform");
        REQUIRE(end_sessions_of_identity(context, "other identity").has_value());
    });
    REQUIRE(world.accepts(issued.access_token));
    world.write([](sdk::Context& context) {
        REQUIRE(end_sessions_of_identity(context, "identity").has_value());
    });
    CHECK_FALSE(world.accepts(issued.access_token));
}

TEST_CASE("tokens that end while another is made are not outlived by it") {
    World world;
    FakeContext late(world.engine);
    const auto issued = world.issuer.issue(late, world.client, world.user, "api");
    REQUIRE(issued.has_value());
    world.write(
        [&](sdk::Context& context) { REQUIRE(end_sessions(context, world.user.key).has_value()); });
    const auto committed = sdk::commit_and_wait(late.transaction());
    REQUIRE(committed.has_error());
    CHECK(committed.error().code == "engine.conflict");
}

TEST_CASE("whoever acts through another user's tokens keeps them no longer than the own ones") {
    World world;
    sdk::Principal other;
    other.key = "other record";
    world.write([&](sdk::Context& context) {
        context.transaction().put(world.keys.principal(other.key),
                                  PrincipalRow{other, {}}.encode());
    });
    const IssuedTokens own = world.issue();
    IssuedTokens taken;
    world.write([&](sdk::Context& context) {
        auto actors = world.issuer.actors_behind(context, sdk::token_digest(own.access_token));
        REQUIRE(actors.has_value());
        taken = world.issuer.issue(context, world.client, other, "api", *actors).value();
    });
    REQUIRE(world.accepts(taken.access_token));
    REQUIRE(world.refresh(taken.refresh_token).has_value());
    world.write(
        [&](sdk::Context& context) { REQUIRE(end_sessions(context, world.user.key).has_value()); });
    CHECK_FALSE(world.accepts(taken.access_token));
    CHECK_FALSE(world.refresh(taken.refresh_token).has_value());
}

TEST_CASE("the validity of a client's record goes before the setting") {
    World world;
    world.client.fields["accessTokenValiditySeconds"] = 10;
    CHECK(world.issue().expires_in_seconds == 10);
    world.client.fields["accessTokenValiditySeconds"] = "20";
    CHECK(world.issue().expires_in_seconds == 20);
}

TEST_CASE("the refresh token can be told from the access token, until it has ended") {
    World world;
    const IssuedTokens issued = world.issue();
    const auto told = [&](const std::string& token) {
        std::string refresh;
        world.write([&](sdk::Context& context) {
            refresh = world.issuer.refresh_token_of(context, token).value();
        });
        return refresh;
    };
    CHECK(told(issued.access_token) == issued.refresh_token);
    CHECK(told("x").empty());
    const std::string second = world.refresh(issued.refresh_token)->access_token;
    CHECK(told(second) == issued.refresh_token);
}

TEST_CASE("tokens whose time is over count no more and are swept away") {
    World world;
    const std::string access_digest = sdk::token_digest("old");
    const std::string refresh_digest = sdk::token_digest("old refresh");
    world.write([&](sdk::Context& context) {
        sdk::Transaction& transaction = context.transaction();
        const AccessRow access{
            kPlatform, world.user.key, world.client.key, 1000, refresh_digest, "", {}};
        const RefreshRow refresh{kPlatform, world.user.key, world.client.key, 1000, "api", {}};
        transaction.put(world.keys.access(access_digest), access.encode());
        transaction.put(world.keys.refresh(refresh_digest), refresh.encode());
        transaction.put(world.keys.access_of_refresh(refresh_digest, access_digest), "");
        transaction.put(world.keys.expiry(1000, RowTag::access, access_digest), "");
        transaction.put(world.keys.expiry(1000, RowTag::refresh, refresh_digest), "");
    });
    const IssuedTokens valid = world.issue();
    CHECK_FALSE(world.accepts("old"));
    CHECK_FALSE(world.refresh("old refresh").has_value());
    REQUIRE(world.row_count(RowTag::expiry) == 4);

    world.issuer.sweep();
    world.write([](sdk::Context& context) { context.transaction().put("after the sweep", ""); });
    CHECK(world.row_count(RowTag::access) == 1);
    CHECK(world.row_count(RowTag::refresh) == 1);
    CHECK(world.row_count(RowTag::access_of_refresh) == 1);
    CHECK(world.row_count(RowTag::expiry) == 2);
    CHECK(world.accepts(valid.access_token));
    CHECK(world.refresh(valid.refresh_token).has_value());
}
