#include <stele/sdk/credentials.hpp>

#include <catch2/catch.hpp>

namespace stele::sdk {

using enum CredentialPart::Place;

TEST_CASE("the credential of an Authorization header follows its scheme in any case") {
    const CredentialPart bearer{authorization, "Bearer"};
    CHECK(header_of(bearer) == "Authorization");
    CHECK(credential_in(bearer, "Bearer abc") == "abc");
    CHECK(credential_in(bearer, "bearer  abc") == "abc");
    CHECK(credential_in(bearer, "BEARER abc") == "abc");
    CHECK(credential_in(bearer, "Basic abc").empty());
    CHECK(credential_in(bearer, "abc").empty());
    CHECK(credential_in(bearer, "Bearer").empty());
    CHECK(credential_in(bearer, "").empty());
}

TEST_CASE("a cookie is found among others by its whole name, the first of the name") {
    const CredentialPart ticket{cookie, "TICKET", true};
    CHECK(header_of(ticket) == "Cookie");
    CHECK(credential_in(ticket, "SESSION=1; XTICKET=no; TICKET=a%3Db; z=") == "a%3Db");
    CHECK(credential_in(ticket, "TICKET=one;TICKET=two") == "one");
    CHECK(credential_in(ticket, "TICKETS=no; TICKET=") == "");
    CHECK(credential_in(ticket, "a=b").empty());
    CHECK(credential_in(ticket, "").empty());
}

TEST_CASE("a header of its own is the credential, a parameter stands in none") {
    CHECK(header_of({header, "X-Ticket"}) == "X-Ticket");
    CHECK(credential_in({header, "X-Ticket"}, "a%3Db") == "a%3Db");
    CHECK(header_of({parameter, "token"}).empty());
}

}  // namespace stele::sdk
