#include "kernel/config/settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "kernel/config/ini_reader.hpp"
#include "kernel/config/nearest_name.hpp"
#include "kernel/config/quantity.hpp"
#include "sdk/testing/temporary_folder.hpp"

using namespace stele::kernel::config;

namespace {

class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view text) { std::ofstream(path()) << text; }
    std::filesystem::path path() const { return folder_.path() / "settings"; }

private:
    stele::testing::TemporaryFolder folder_;
};

class TemporaryVariable {
public:
    TemporaryVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~TemporaryVariable() { unsetenv(name_); }

private:
    const char* name_;
};

void check_fails(const stele::sdk::Result<void>& result, const char* code,
                 const std::string& message) {
    REQUIRE(result.has_error());
    CHECK(result.error().code == code);
    CHECK_THAT(result.error().message, Catch::Contains(message));
}

}  // namespace

TEST_CASE("defaults fit their own declarations and say what they are for") {
    const Settings settings;
    CHECK(settings.check_values().has_value());
    CHECK(settings.text("pagination.sort_numbers") == "string");
    CHECK(settings.integer("pagination.default_limit").value() == 1000);
    CHECK(settings.bytes("server.body_bytes").value() == 16 * 1024 * 1024);
    CHECK(settings.milliseconds("server.header_time").value() == 15'000);
    for (const auto& [key, info] : settings.declared()) {
        INFO(key);
        CHECK(info.key == key);
        CHECK(info.description.size() > 20);
    }
}

TEST_CASE("the file overrides defaults, the environment the file, the command line all") {
    const TemporaryFile file("[server]\nport = 81\nhost = ::\nthreads = 3\n");
    const TemporaryVariable port("STELE_SERVER_PORT", "82");
    const TemporaryVariable host("STELE_SERVER_HOST", "10.0.0.1");
    Settings settings;
    settings.read_environment();
    REQUIRE(settings.read_file(file.path()).has_value());
    settings.set("server.port", "83");
    CHECK(settings.integer("server.port").value() == 83);
    CHECK(settings.text("server.host") == "10.0.0.1");
    CHECK(settings.integer("server.threads").value() == 3);
    CHECK(settings.integer("server.connections").value() == 4096);
}

TEST_CASE("an unknown key of the file is named with its place and the nearest known one") {
    const TemporaryFile file("# comment\npagination.sort_number = numeric\n");
    Settings settings;
    REQUIRE(settings.read_file(file.path()).has_value());
    check_fails(settings.check_unknown(), "config.key_unknown",
                file.path().string() +
                    ":2: 'pagination.sort_number' is no setting; did you mean "
                    "'pagination.sort_numbers'?");
}

TEST_CASE("keys that a plugin declares late get their values from everywhere") {
    const TemporaryFile file("[mail]\nhost = a\nport = 1\n");
    const TemporaryVariable port("STELE_MAIL_PORT", "2");
    Settings settings;
    REQUIRE(settings.read_file(file.path()).has_value());
    settings.read_environment();
    CHECK(settings.check_unknown().has_error());
    settings.declare({.key = "mail.host", .default_value = "", .description = "host"});
    settings.declare({"mail.port", "25", "port"});
    CHECK(settings.check_unknown().has_value());
    CHECK(settings.text("mail.host") == "a");
    CHECK(settings.integer("mail.port").value() == 2);
}

TEST_CASE("a variable that looks like a setting and is none is reported") {
    const TemporaryVariable wrong("STELE_SERVER_PROT", "1");
    const TemporaryVariable right("STELE_SERVER_PORT", "1");
    Settings settings;
    settings.read_environment();
    // Whoever runs the tests has variables of their own.
    std::vector<std::string> found = settings.unknown_variables();
    std::erase_if(found, [](const auto& name) { return !name.starts_with("STELE_SERVER_"); });
    CHECK(found == std::vector<std::string>{"STELE_SERVER_PROT"});
}

TEST_CASE("a mistyped variable is refused where it begins like a setting of what is enabled") {
    Settings settings;
    settings.declare({.key = "mail.host", .default_value = "", .description = "host"});
    SECTION("of the server") {
        const TemporaryVariable wrong("STELE_SERVER_PROT", "1");
        settings.read_environment();
        check_fails(settings.check_unknown(), "config.key_unknown",
                    "STELE_SERVER_PROT is no setting; did you mean STELE_SERVER_PORT?");
    }
    SECTION("of a plugin") {
        const TemporaryVariable wrong("STELE_MAIL_HOTS", "1");
        settings.read_environment();
        check_fails(settings.check_unknown(), "config.key_unknown",
                    "STELE_MAIL_HOTS is no setting; did you mean STELE_MAIL_HOST?");
    }
    SECTION("not of a plugin that is not enabled, though its name begins like another") {
        const TemporaryVariable others("STELE_MAIL_BOX_SIZE", "1");
        settings.read_environment();
        CHECK(settings.check_unknown({"mail_box"}).has_value());
        CHECK(settings.check_unknown().has_error());
    }
    SECTION("not what only begins like the product") {
        const TemporaryVariable tests("STELE_LONG", "1");
        settings.read_environment();
        CHECK(settings.check_unknown().has_value());
    }
}

TEST_CASE("a number may be as small and as large as it is declared to be, and no more") {
    Settings settings;
    settings.declare({.key = "a.count",
                      .default_value = "3",
                      .description = "",
                      .kind = SettingKind::integer,
                      .minimum = 2,
                      .maximum = 7});
    for (const auto& [value, is_fine] :
         {std::pair("1", false), {"2", true}, {"7", true}, {"8", false}, {"-2", false}}) {
        INFO(value);
        settings.set("a.count", value);
        CHECK(settings.integer("a.count").has_value() == is_fine);
        CHECK(settings.check_values().has_value() == is_fine);
    }
}

TEST_CASE("wrong values are named with their origin and what was expected") {
    Settings settings;
    SECTION("text that is not among the allowed ones") {
        settings.set("log.level", "loud");
        check_fails(settings.check_values(), "config.value_invalid",
                    "'log.level' is 'loud', expected one of debug, info, warning, error");
    }
    SECTION("no number") {
        settings.set("server.port", "80 80");
        check_fails(settings.check_values(), "config.value_invalid", "expected a whole number");
        CHECK(settings.integer("server.port").has_error());
    }
    SECTION("too large a number") {
        settings.set("server.port", "65536");
        check_fails(settings.check_values(), "config.value_invalid", "at most 65535");
    }
    SECTION("too small a size") {
        settings.set("server.body_bytes", "1");
        check_fails(settings.check_values(), "config.value_invalid", "at least 1024");
    }
    SECTION("a time without a unit, from the environment") {
        const TemporaryVariable time("STELE_SERVER_IDLE_TIME", "75");
        settings.read_environment();
        check_fails(settings.check_values(), "config.value_invalid",
                    "environment variable STELE_SERVER_IDLE_TIME: 'server.idle_time' is '75'");
    }
    SECTION("no boolean") {
        settings.declare({.key = "a.b",
                          .default_value = "yes",
                          .description = "",
                          .kind = SettingKind::boolean});
        check_fails(settings.check_values(), "config.value_invalid", "true or false");
    }
}

TEST_CASE("a list is split at commas") {
    Settings settings;
    CHECK(settings.list("server.cors_origins").empty());
    settings.set("server.cors_origins", " a, b ,,c d ");
    CHECK(settings.list("server.cors_origins") == std::vector<std::string>{"a", "b", "c d"});
}

TEST_CASE("a file that is missing is an error, an empty one is not") {
    Settings settings;
    check_fails(settings.read_file("/nowhere/stele.conf"), "config.file_unreadable",
                "/nowhere/stele.conf");
    check_fails(settings.read_file("/tmp"), "config.file_unreadable", "/tmp");
    const TemporaryFile empty("");
    CHECK(settings.read_file(empty.path()).has_value());
    CHECK(settings.read_file({}).has_value());
}

TEST_CASE("INI lines are read with sections, comments, quotes and line numbers") {
    const auto entries = read_ini(
        "\xef\xbb\xbf; comment\r\n"
        "a.b=1\r\n"
        "\n"
        "[ mail ]\n"
        "  host =  smtp example  \n"
        "url = http://x/?a=b # kept\n"
        "quoted = \"  x  \"\n"
        "empty =\n"
        "[]\n"
        "c = 2",
        "f");
    REQUIRE(entries.has_value());
    std::string all;
    for (const IniEntry& entry : *entries) {
        all += std::to_string(entry.line) + ":" + entry.key + "=" + entry.value + "|";
    }
    CHECK(all ==
          "2:a.b=1|5:mail.host=smtp example|6:mail.url=http://x/?a=b # kept|7:mail.quoted=  x  |"
          "8:mail.empty=|10:c=2|");
}

TEST_CASE("a line that cannot be read is named") {
    const auto [text, message, code] = GENERATE(table<const char*, const char*, const char*>({
        {"a = 1\nrubbish", "f:2: expected 'key = value', found 'rubbish'", "config.line_malformed"},
        {"[open", "f:1: the section's bracket is not closed", "config.line_malformed"},
        {"[a b]", "f:1: 'a b' is no name", "config.line_malformed"},
        {"= 1", "f:1: '' is no key", "config.line_malformed"},
        {"[s]\na = 1\n[]\ns.a = 2", "f:4: 's.a' was given in line 2 already",
         "config.key_repeated"},
    }));
    const auto entries = read_ini(text, "f");
    REQUIRE(entries.has_error());
    CHECK(entries.error().code == code);
    CHECK_THAT(entries.error().message, Catch::Contains(message));
}

TEST_CASE("sizes and times are read with their units") {
    CHECK(parse_bytes("512") == 512);
    CHECK(parse_bytes("64KiB") == 65'536);
    CHECK(parse_bytes("16 MiB") == 16'777'216);
    CHECK(parse_bytes("2GB") == 2'000'000'000);
    CHECK(parse_milliseconds("250ms") == 250);
    CHECK(parse_milliseconds("5s") == 5'000);
    CHECK(parse_milliseconds("2min") == 120'000);
    CHECK(parse_milliseconds("1d") == 86'400'000);
    CHECK(parse_milliseconds("0") == 0);
    CHECK(parse_integer("-7") == -7);
    for (const char* wrong : {"", "MiB", "1mib", "-1", "1.5GiB", "1  MiB", "9999999TiB", "0x10"}) {
        INFO(wrong);
        CHECK_FALSE(parse_bytes(wrong).has_value());
    }
    for (const char* wrong : {"", "5", "5 seconds", "-1s"}) {
        INFO(wrong);
        CHECK_FALSE(parse_milliseconds(wrong).has_value());
    }
}

TEST_CASE("the distance of two texts counts edits and swapped neighbours") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("port", "prot") == 1);
    CHECK(nearest_name("prot", {"host", "port", "part"}) == "port");
    CHECK(nearest_name("x", {}).empty());
}
