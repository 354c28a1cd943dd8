#include "mail_address.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::email_providers {
namespace {

TEST_CASE("mail addresses are told from other texts") {
    for (const char* text : {"a@b", "first.last+tag@mail.example.org", "o'brien@example.org",
                             "a@[192.0.2.1]", "a@[IPv6:2001:db8::1]"}) {
        CAPTURE(text);
        CHECK(wire_address(text) == std::string(text));
    }
    for (const char* text : {"",
                             "a",
                             "@b",
                             "a@",
                             "a b@c",
                             "a@b c",
                             "a@@b",
                             ".a@b",
                             "a.@b",
                             "a..b@c",
                             "a@-b",
                             "a@b-",
                             "a@b..c",
                             "<a@b>",
                             "a@b>",
                             "a@b\r\nRCPT TO:<c@d>",
                             "a@[b]",
                             "a@[1.2.3]",
                             "a,b@c",
                             "\"a\"@b",
                             "m\xc3\xbcller@example.org",
                             "a@b.",
                             "a@b\n",
                             "a;b@c"}) {
        CAPTURE(text);
        CHECK_FALSE(wire_address(text));
    }
    // RFC 5891: labels in ASCII, or nothing where the rules forbid the label (Latin and Arabic
    // mixed).
    CHECK(wire_address("x@m\xc3\xbcller.example") == std::string("x@xn--mller-kva.example"));
    CHECK_FALSE(wire_address("x@m\xda\xbcller.example"));
    CHECK(wire_address("x@xn--mller-kva.example") == std::string("x@xn--mller-kva.example"));
    // What a broken label stands for holds control characters and cannot be written in ASCII.
    CHECK_FALSE(wire_address("x@xn--ampl"));
    CHECK_FALSE(wire_address("x@xn--ampl.example"));
    CHECK_FALSE(wire_address("x@m\xffller.example"));
    CHECK(wire_address(std::string(64, 'l') + "@example.org"));
    CHECK_FALSE(wire_address(std::string(65, 'l') + "@example.org"));
    CHECK_FALSE(wire_address("l@" + std::string(64, 'd') + ".org"));
    CHECK_FALSE(wire_address(std::string_view("a@b\0c", 5)));
}

TEST_CASE("a list of mailboxes is split at the commas between them") {
    const auto read = parse_mailboxes(
        R"( a@b.example,Ann <c@d.example> , "Last, \"F\"" <e@f.example>,, <g@h.example>,)");
    REQUIRE(read.has_value());
    REQUIRE(read->size() == 4);
    CHECK((*read)[0].name.empty());
    CHECK((*read)[0].address == "a@b.example");
    CHECK((*read)[1].name == "Ann");
    CHECK((*read)[1].address == "c@d.example");
    CHECK((*read)[2].name == "Last, \"F\"");
    CHECK((*read)[2].address == "e@f.example");
    CHECK((*read)[3].name.empty());
    CHECK((*read)[3].address == "g@h.example");
}

TEST_CASE("whatever is no list of mailboxes is refused") {
    for (const char* text :
         {"a", "a@b c@d", "Ann <a@b", "a@b>", "Ann <>", "\"Ann <a@b>", "a@b\r\nBcc: c@d",
          "Ann\nBcc: x <a@b>", "Ann \"B\" <a@b>", "<a@b> <c@d>", "a@b;c@d", "A <B> <c@d>"}) {
        CAPTURE(text);
        const auto read = parse_mailboxes(text);
        REQUIRE(read.has_error());
        CHECK(read.error().kind == sdk::ErrorKind::invalid);
        CHECK(read.error().code == "email_providers.address_malformed");
    }
}

TEST_CASE("a member holds one text or many, and each wrong one is named") {
    const auto record = sdk::parse_json(
        R"({"to":["a@b.example, c@d.example","x",7,null],"cc":"e@f.example","bcc":{}})");
    sdk::Violations violations;
    CHECK(read_mailboxes(*record, "to", violations).size() == 2);
    REQUIRE(violations.size() == 3);
    CHECK(violations[0].path == "to.1");
    CHECK(violations[1].path == "to.2");
    CHECK(violations[2].path == "to.3");
    violations.clear();
    CHECK(read_mailboxes(*record, "cc", violations).size() == 1);
    CHECK(read_mailboxes(*record, "from", violations).empty());
    CHECK(violations.empty());
    CHECK(read_mailboxes(*record, "bcc", violations).empty());
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].path == "bcc");
}

}  // namespace
}  // namespace stele::email_providers
