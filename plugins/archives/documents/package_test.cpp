#include "documents/package.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

std::string only_name(std::string_view wanted) {
    std::vector<std::string> taken;
    return package_name(wanted, taken);
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
    std::vector<std::string> taken;
    CHECK(package_name("a.txt", taken) == "a.txt");
    CHECK(package_name("A.txt", taken) == "A (2).txt");
    CHECK(package_name("a.txt", taken) == "a (3).txt");
    CHECK(package_name("a (2).txt", taken) == "a (2) (2).txt");
}

TEST_CASE("each setting of the wrong kind is a problem of its own") {
    CHECK(problems_of({{"references", {"node://p/r/b/n"}}}) == 0);
    CHECK(problems_of({{"references", {"node://p/r/b/n"}}, {"package", "pdf"}}) == 0);
    CHECK(problems_of(sdk::Json::object()) == 1);
    CHECK(problems_of({{"references", sdk::Json::array()}}) == 1);
    CHECK(problems_of({{"references", {7}}, {"package", "RAR"}, {"mergePdfs", "yes"}}) == 3);
}

}  // namespace stele::archives
