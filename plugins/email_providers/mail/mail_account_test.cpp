#include "mail_account.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::email_providers {
namespace {

sdk::Document provider(const char* fields, const char* secrets = "{}") {
    sdk::Document document;
    document.id = "p1";
    document.fields = *sdk::parse_json(fields);
    document.secrets = *sdk::parse_json(secrets);
    return document;
}

std::vector<std::string> problems(const char* fields, const char* secrets = "{}") {
    sdk::Violations violations;
    check_account(provider(fields, secrets), violations);
    std::vector<std::string> paths;
    for (const auto& violation : violations)
        paths.push_back(violation.path);
    return paths;
}

TEST_CASE("flags and port decide about TLS, and TLS about the usual port") {
    struct Case {
        const char* fields;
        ConnectionSecurity security;
        int port;
    };
    const Case cases[] = {
        {R"({})", ConnectionSecurity::none, 25},
        {R"({"smtp_is_secure":false,"smtp_starttls_enabled":false})", ConnectionSecurity::none, 25},
        {R"({"smtp_starttls_enabled":true})", ConnectionSecurity::starttls, 587},
        {R"({"smtp_is_secure":true})", ConnectionSecurity::tls, 465},
        {R"({"smtp_is_secure":true,"port":587})", ConnectionSecurity::tls, 587},
        {R"({"smtp_is_secure":true,"smtp_starttls_enabled":true})", ConnectionSecurity::starttls,
         587},
        {R"({"smtp_is_secure":true,"smtp_starttls_enabled":true,"port":"465"})",
         ConnectionSecurity::tls, 465},
        {R"({"port":"2525"})", ConnectionSecurity::none, 2525},
        {R"({"port":""})", ConnectionSecurity::none, 25},
        {R"({"config":{"smtp_is_secure":true,"port":4650}})", ConnectionSecurity::tls, 4650},
    };
    for (const Case& one : cases) {
        CAPTURE(one.fields);
        const MailAccount account = account_of(provider(one.fields));
        CHECK(account.security == one.security);
        CHECK(account.port == one.port);
    }
}

TEST_CASE("an account is read from the record, then from its config") {
    const MailAccount account = account_of(provider(
        R"({"host":"[::1]","config":{"host":"other","username":"ann","smtp_enabled":false}})",
        R"({"password":"secret"})"));
    CHECK(account.host == "::1");
    CHECK(account.server() == "[::1]:25");
    CHECK(account.username == "ann");
    CHECK(account.password == "secret");
    CHECK_FALSE(account.is_enabled);
    CHECK(account.requires_auth);
    CHECK_FALSE(
        account_of(provider(R"({"username":"ann","smtp_requires_auth":false})")).requires_auth);
    CHECK(account_of(provider("{}")).is_enabled);
    CHECK_FALSE(account_of(provider("{}")).requires_auth);
}

TEST_CASE("a password never stays in the record") {
    sdk::Document nested = provider(R"({"config":{"host":"h","password":"deep"}})");
    keep_password_apart(nested, nullptr);
    CHECK(nested.fields == *sdk::parse_json(R"({"config":{"host":"h"}})"));
    CHECK(nested.secrets["password"] == "deep");
}

TEST_CASE("the mask keeps the password, null forgets it") {
    const sdk::Document before = provider("{}", R"({"password":"old"})");
    sdk::Document masked = provider("{}", R"({"password":"********"})");
    keep_password_apart(masked, &before);
    CHECK(masked.secrets["password"] == "old");
    sdk::Document nested =
        provider(R"({"config":{"password":"********"}})", R"({"password":"old"})");
    keep_password_apart(nested, &before);
    CHECK(nested.secrets["password"] == "old");
    sdk::Document created = provider("{}", R"({"password":"********"})");
    keep_password_apart(created, nullptr);
    CHECK(created.secrets.empty());
    sdk::Document cleared = provider("{}", R"({"password":null})");
    keep_password_apart(cleared, &before);
    CHECK(cleared.secrets.empty());
}

TEST_CASE("a password is for the server for which it was given") {
    const char* const kOld = R"({"password":"old"})";
    const sdk::Document before =
        provider(R"({"host":"mail.example.org","port":587,"smtp_starttls_enabled":true})", kOld);
    const auto kept = [&](const char* fields, const char* secrets) {
        sdk::Document after = provider(fields, secrets);
        keep_password_apart(after, &before);
        return after.secrets.contains("password");
    };
    CHECK(kept(R"({"host":"MAIL.example.org","port":"587","smtp_starttls_enabled":true})", kOld));
    CHECK(kept(R"({"config":{"host":"mail.example.org","port":587,"smtp_starttls_enabled":true}})",
               kOld));
    for (const char* fields :
         {R"({"host":"evil.example.org","port":587,"smtp_starttls_enabled":true})",
          R"({"host":"mail.example.org","port":588,"smtp_starttls_enabled":true})",
          R"({"host":"mail.example.org","smtp_is_secure":true})",
          R"({"host":"mail.example.org","port":587})", R"({"port":587})"}) {
        CHECK_FALSE(kept(fields, kOld));
        CHECK_FALSE(kept(fields, R"({"password":"********"})"));
        CHECK(kept(fields, R"({"password":"new"})"));
    }
}

TEST_CASE("wrong members of an account are named") {
    using Paths = std::vector<std::string>;
    CHECK(problems(R"({"host":"mail.example.org","port":25,"username":"a"})").empty());
    CHECK(problems(R"({"host":""})").empty());
    CHECK(problems(R"({"host":"mail.example.org:25"})") == Paths{"host"});
    CHECK(problems(R"({"host":"a b"})") == Paths{"host"});
    CHECK(problems(R"({"host":"a\r\nQUIT"})") == Paths{"host"});
    CHECK(problems(R"({"host":"user@host"})") == Paths{"host"});
    CHECK(problems(R"({"host":"host/path"})") == Paths{"host"});
    CHECK(problems(R"({"port":0})") == Paths{"port"});
    CHECK(problems(R"({"port":65536})") == Paths{"port"});
    CHECK(problems(R"({"port":"-1"})") == Paths{"port"});
    CHECK(problems(R"({"username":"a\nb"})") == Paths{"username"});
    CHECK(problems("{}", R"({"password":"a\u0000b"})") == Paths{"password"});
    CHECK(problems(R"({"config":{"host":7,"port":"x","smtp_enabled":"yes","password":7}})") ==
          Paths{"config.host", "config.password", "config.smtp_enabled", "config.port"});
}

}  // namespace
}  // namespace stele::email_providers
