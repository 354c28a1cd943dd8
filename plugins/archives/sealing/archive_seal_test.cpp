#include "sealing/archive_seal.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>

namespace stele::archives {

namespace {

constexpr char kPassphrase[] = "correct horse battery";
const sdk::Json kManifest{{"format", 1}, {"type", "domain"}, {"sources", {"a"}}, {"title", "t"}};

std::string digest_of(const std::vector<std::pair<std::string, std::string>>& files,
                      const sdk::Json& manifest = kManifest) {
    ContentDigest digest;
    for (const auto& [path, sha256] : files)
        digest.add(path, sha256);
    return digest.finish(manifest);
}

std::string code_of(const sdk::Result<ArchiveSeal>& made) {
    return made.has_error() ? made.error().code : "";
}

}  // namespace

TEST_CASE("secrets open with the passphrase in the folder where they were sealed") {
    const ArchiveSeal seal = ArchiveSeal::make(kPassphrase);
    const sdk::Json secrets{{"password", "of the mail server"}};
    const sdk::Json file = seal.seal(secrets, "platforms/p/applications/a");
    CHECK(sdk::dump_json(file).find("mail") == std::string::npos);
    const auto other = ArchiveSeal::of(kPassphrase, seal.told("digest"));
    REQUIRE(other.has_value());
    CHECK(other->open(file, "platforms/p/applications/a").value() == secrets);
    CHECK(other->open(file, "platforms/p/applications/b").error().code == "archives.seal_broken");
    CHECK(other->open({{"sealed", 7}}, "platforms/p/applications/a").has_error());
    CHECK(other->open(sdk::Json::array(), "platforms/p/applications/a").has_error());
}

TEST_CASE("a sealed file does not tell how long a secret is") {
    const ArchiveSeal seal = ArchiveSeal::make(kPassphrase);
    const auto size_of = [&seal](std::size_t length) {
        return sdk::dump_json(seal.seal({{"password", std::string(length, 'x')}}, "a")).size();
    };
    CHECK(size_of(1) == size_of(100));
    CHECK(size_of(1'000) > size_of(100));
    const sdk::Json secrets{{"password", std::string(241, 'x')}};
    CHECK(seal.open(seal.seal(secrets, "a"), "a").value() == secrets);
}

TEST_CASE("the proof of an archive is no secret of a record, nor the other way round") {
    const ArchiveSeal seal = ArchiveSeal::make(kPassphrase);
    const sdk::Json told = seal.told("{}");
    CHECK(seal.open({{"sealed", told.at("proof")}}, "").has_error());
    sdk::Json forged = told;
    forged["proof"] = seal.seal(sdk::Json::object(), "").at("sealed");
    CHECK(seal.check(forged, "{}").error().code == "archives.seal_broken");
    CHECK(seal.check(told, "{}").has_value());
}

TEST_CASE("a seal that is missing, unknown, another one's or too dear is refused by its name") {
    const sdk::Json told = ArchiveSeal::make(kPassphrase).told("digest");
    CHECK(code_of(ArchiveSeal::of(kPassphrase, sdk::Json())) == "archives.seal_missing");
    CHECK(code_of(ArchiveSeal::of("wrong horse battery", told)) == "archives.passphrase_wrong");
    const std::pair<const char*, sdk::Json> changes[] = {{"key", "md5"},
                                                         {"cipher", "none"},
                                                         {"memoryKiB", 4'000'000},
                                                         {"passes", 1'000'000},
                                                         {"passes", -1},
                                                         {"memoryKiB", "much"},
                                                         {"salt", ""},
                                                         {"check", "not hexadecimal"}};
    for (const auto& [name, value] : changes) {
        sdk::Json changed = told;
        changed[name] = value;
        INFO(name);
        CHECK(code_of(ArchiveSeal::of(kPassphrase, changed)) == "archives.seal_malformed");
    }
}

TEST_CASE(
    "the digest is that of the text that the format describes, in whatever order members stand") {
    const std::string text = R"(1:af00
{"format":1,"sources":[{"id":"x","typeId":"domain"}],"type":"domain"})";
    const sdk::Json source{{"typeId", "domain"}, {"id", "x"}};
    const sdk::Json manifest{
        {"type", "domain"}, {"title", "t"}, {"sources", {source}}, {"format", 1}};
    CHECK(digest_of({{"a", "f00"}}, manifest) == sdk::sha256(text));
    const sdk::Json sorted{{"id", "x"}, {"typeId", "domain"}};
    const sdk::Json other{{"format", 1}, {"sources", {sorted}}, {"type", "domain"}};
    CHECK(digest_of({{"a", "f00"}}, other) == sdk::sha256(text));
}

TEST_CASE("the digest of an archive tells its files, their order and what the manifest is about") {
    const std::string digest = digest_of({{"a", "1"}, {"b", "2"}});
    CHECK(digest == digest_of({{"a", "1"}, {"b", "2"}}));
    CHECK(digest != digest_of({{"b", "2"}, {"a", "1"}}));
    CHECK(digest != digest_of({{"a", "1"}}));
    CHECK(digest != digest_of({{"a", "1"}, {"b", "3"}}));
    CHECK(digest_of({{"a", "1b"}}) != digest_of({{"a1", "b"}}));
    sdk::Json renamed = kManifest;
    renamed["title"] = "another";
    CHECK(digest == digest_of({{"a", "1"}, {"b", "2"}}, renamed));
    sdk::Json retargeted = kManifest;
    retargeted["sources"] = {"b"};
    CHECK(digest != digest_of({{"a", "1"}, {"b", "2"}}, retargeted));
}

}  // namespace stele::archives
