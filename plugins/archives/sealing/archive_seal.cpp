#include "sealing/archive_seal.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

namespace stele::archives {

namespace {

constexpr char kKey[] = "argon2id";
constexpr char kCipher[] = "xchacha20-poly1305";
/// What a sealed text is for, so that none can stand for another.
constexpr std::string_view kOfArchive = "stele archive 1: archive";
constexpr std::string_view kOfSecrets = "stele archive 1: secrets of ";
constexpr std::size_t kSecretsUnit = 256;

sdk::Error broken(const std::string& what) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.seal_broken",
                           what +
                               "; without the passphrase the archive can be imported, and the "
                               "secrets stay away");
}

std::string context_of(std::string_view folder) {
    return std::string(kOfSecrets) + std::string(folder);
}

std::string bytes_in(const sdk::Json& told, const char* name) {
    return sdk::hex_bytes(sdk::text_member(told, name)).value_or("");
}

std::uint64_t number_in(const sdk::Json& told, const char* name) {
    const auto number = sdk::integer_member(told, name);
    return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

}  // namespace

void ContentDigest::add(std::string_view path, std::string_view sha256) {
    digest_.add(std::to_string(path.size()));
    digest_.add(":");
    digest_.add(path);
    digest_.add(sha256);
    digest_.add("\n");
}

std::string ContentDigest::finish(const sdk::Json& manifest) {
    sdk::Json own = sdk::Json::object();
    for (const char* name : {"format", "model", "type", "tipChangesetOnly", "sources"}) {
        const auto member = manifest.find(name);
        if (member != manifest.end()) own[name] = *member;
    }
    // Whatever order somebody's JSON keeps members in.
    digest_.add(sdk::dump_json(sdk::Json(nlohmann::json(own))));
    return digest_.finish();
}

ArchiveSeal ArchiveSeal::make(std::string_view passphrase) {
    return ArchiveSeal(sdk::PassphraseSeal::make(passphrase));
}

sdk::Result<ArchiveSeal> ArchiveSeal::of(std::string_view passphrase, const sdk::Json& told) {
    if (!told.is_object()) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "archives.seal_missing",
            "a passphrase was given, but nothing in the archive is sealed: it is "
            "another one, or was changed");
    }
    const bool is_known =
        sdk::text_member(told, "key") == kKey && sdk::text_member(told, "cipher") == kCipher;
    if (!is_known) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.seal_malformed",
                               "the archive is sealed in a way that this server does not know");
    }
    auto seal = sdk::PassphraseSeal::make(passphrase, {.salt = bytes_in(told, "salt"),
                                                       .memory_kib = number_in(told, "memoryKiB"),
                                                       .passes = number_in(told, "passes"),
                                                       .check = bytes_in(told, "check")});
    if (seal) return ArchiveSeal(*std::move(seal));
    if (seal.error().code == "seal.passphrase_wrong") {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.passphrase_wrong",
                               "the archive was sealed with another passphrase");
    }
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.seal_malformed",
                           "the archive's seal cannot be used: " + seal.error().message);
}

sdk::Json ArchiveSeal::told(std::string_view digest) const {
    const sdk::PassphraseSeal::Parameters& parameters = seal_.parameters();
    return {{"key", kKey},
            {"salt", sdk::hex_text(parameters.salt)},
            {"memoryKiB", parameters.memory_kib},
            {"passes", parameters.passes},
            {"check", sdk::hex_text(parameters.check)},
            {"cipher", kCipher},
            {"proof", sdk::hex_text(seal_.seal(digest, kOfArchive))}};
}

sdk::Result<void> ArchiveSeal::check(const sdk::Json& told, std::string_view digest) const {
    auto sealed = seal_.open(bytes_in(told, "proof"), kOfArchive);
    if (sealed && *sealed == digest) return {};
    return broken("the archive has been changed since it was sealed");
}

sdk::Json ArchiveSeal::seal(const sdk::Json& secrets, std::string_view folder) const {
    std::string text = sdk::dump_json(secrets);
    // Its length is told to everybody, and should not be that of a password.
    text.append(kSecretsUnit - text.size() % kSecretsUnit, ' ');
    return {{"sealed", sdk::hex_text(seal_.seal(text, context_of(folder)))}};
}

sdk::Result<sdk::Json> ArchiveSeal::open(const sdk::Json& file, std::string_view folder) const {
    auto text = seal_.open(bytes_in(file, "sealed"), context_of(folder));
    if (!text)
        return broken("the secrets in " + sdk::shown_path(folder) + " were not sealed there");
    auto secrets = sdk::parse_json(*text);
    if (secrets && secrets->is_object()) return secrets;
    return broken("the secrets in " + sdk::shown_path(folder) + " are no JSON object");
}

}  // namespace stele::archives
