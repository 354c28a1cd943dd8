#include "documents/package.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

std::string only_name(std::string_view wanted) {
    PackageNames names;
    return names.take(wanted);
}

std::size_t problems_of(const sdk::Json& body) {
    auto settings = PackageSettings::read(body);
    return settings.has_error() ? settings.error().violations.size() : 0;
}

}  // namespace

TEST_CASE("a file of a package keeps its name where a zip may have it") {
    CHECK(only_name("plum.txt") == "plum.txt");
    CHECK(only_name("Pläne 2026.pdf") == "Pläne 2026.pdf");
    CHECK(only_name("../../etc/passwd") == ".._.._etc_passwd");
    CHECK(only_name("C:\\a\nb") == "C__a_b");
    CHECK(only_name("..") == "document");
    CHECK(only_name("") == "document");
}

TEST_CASE("a name that is too long is cut between characters, before its ending") {
    const std::string name = only_name(std::string(149, 'a') + "ää.html");
    CHECK(name == std::string(149, 'a') + ".html");
}

TEST_CASE("names that are one to some file system are told apart by numbers") {
    PackageNames names;
    CHECK(names.take("a.txt") == "a.txt");
    CHECK(names.take("A.txt") == "A (2).txt");
    CHECK(names.take("a.txt") == "a (3).txt");
    CHECK(names.take("a (2).txt") == "a (2) (2).txt");
    CHECK(names.take("a (4).txt") == "a (4).txt");
    CHECK(names.take("a.TXT") == "a (5).TXT");
}

TEST_CASE("a hundred thousand files of one name get as many, without looking at all each time") {
    PackageNames names;
    std::set<std::string> made;
    for (int i = 0; i < 100'000; ++i)
        made.insert(names.take("a.txt"));
    CHECK(made.size() == 100'000);
}

TEST_CASE("each setting of the wrong kind is a problem of its own") {
    CHECK(problems_of({{"references", {"node://p/r/b/n"}}}) == 0);
    CHECK(problems_of({{"references", {"node://p/r/b/n"}}, {"package", "pdf"}}) == 0);
    CHECK(problems_of(sdk::Json::object()) == 1);
    CHECK(problems_of({{"references", sdk::Json::array()}}) == 1);
    CHECK(problems_of({{"references", {7}}, {"package", "RAR"}, {"mergePdfs", "yes"}}) == 3);
}

}  // namespace stele::archives
