#include "kernel/instance/secret_keys.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/seal.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::instance {

namespace {

constexpr int kMaxId = 255;

/// Nothing when the text is not the digits of a key.
std::optional<std::string> key_of(std::string_view hex) {
    if (hex.size() != 2 * sdk::Sealer::kKeySize) return std::nullopt;
    return sdk::hex_bytes(sdk::lower_case(hex));
}

std::optional<SecretKey> parse_key(std::string_view text) {
    int id = 1;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        const char* const end = text.data() + colon;
        const auto [stop, problem] = std::from_chars(text.data(), end, id);
        if (problem != std::errc() || stop != end || id < 1 || id > kMaxId) return std::nullopt;
        text.remove_prefix(colon + 1);
    }
    auto bytes = key_of(text);
    if (!bytes) return std::nullopt;
    return SecretKey{static_cast<std::uint8_t>(id), std::move(*bytes)};
}

bool has_id(const SecretKeys& keys, int id) {
    return std::any_of(keys.begin(), keys.end(),
                       [id](const SecretKey& key) { return key.id == id; });
}

sdk::Error invalid_keys(const std::string& origin, const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "instance.secret_key_invalid",
                           fmt::format("{} {}", origin, problem));
}

sdk::Error unwritable(const std::filesystem::path& file) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "instance.data_unusable",
                           fmt::format("the key file {} cannot be written: {}", file.string(),
                                       file::system_reason(errno)));
}

bool write_whole(const std::filesystem::path& file, std::string_view text) {
    const file::PosixFile opened(file, O_CREAT | O_TRUNC | O_WRONLY);
    return opened.is_open() &&
           ::write(opened.descriptor(), text.data(), text.size()) ==
               static_cast<ssize_t>(text.size()) &&
           ::fsync(opened.descriptor()) == 0;
}

}  // namespace

sdk::Result<SecretKeys> parse_secret_keys(std::string_view text, const std::string& origin) {
    constexpr std::string_view kSeparators = ", \t\r\n";
    SecretKeys keys;
    while (true) {
        const std::size_t begin = text.find_first_not_of(kSeparators);
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin);
        const std::string_view item = text.substr(0, text.find_first_of(kSeparators));
        text.remove_prefix(item.size());
        auto key = parse_key(item);
        if (!key) {
            return invalid_keys(origin,
                                "must hold 64 hexadecimal digits, or several such keys, the newest "
                                "first, each with a number from 1 to 255 and a colon before it");
        }
        if (has_id(keys, key->id)) {
            return invalid_keys(origin, fmt::format("has two keys with the number {}", key->id));
        }
        keys.push_back(std::move(*key));
    }
    if (keys.empty()) return invalid_keys(origin, "holds no key");
    return keys;
}

std::string secret_keys_text(const SecretKeys& keys) {
    std::string text;
    for (const SecretKey& key : keys) {
        text += std::to_string(key.id) + ':' + sdk::hex_text(key.bytes) + '\n';
    }
    return text;
}

sdk::Result<void> write_secret_keys(const std::filesystem::path& data, const SecretKeys& keys) {
    const std::filesystem::path file = data / kSecretKeyFile;
    const std::filesystem::path fresh = file.string() + ".new";
    if (!write_whole(fresh, secret_keys_text(keys)) || ::rename(fresh.c_str(), file.c_str()) != 0 ||
        !file::sync_folder(data)) {
        return unwritable(file);
    }
    return {};
}

namespace {

/// Of two servers that start at the same time, one makes the file and both use it.
sdk::Result<void> make_key_file(const std::filesystem::path& data) {
    auto key = make_secret_key({});
    if (!key) return key.error();
    const std::filesystem::path file = data / kSecretKeyFile;
    const std::filesystem::path fresh = fmt::format("{}.{}", file.string(), ::getpid());
    const bool is_made = write_whole(fresh, secret_keys_text({*key})) &&
                         (::link(fresh.c_str(), file.c_str()) == 0 || errno == EEXIST) &&
                         file::sync_folder(data);
    const int problem = errno;
    ::unlink(fresh.c_str());
    errno = problem;
    return is_made ? sdk::Result<void>() : sdk::Result<void>(unwritable(file));
}

sdk::Result<SecretKeys> read_key_file(const std::filesystem::path& file) {
    std::error_code problem;
    const auto kind = std::filesystem::status(file, problem);
    if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind)) {
        return sdk::make_error(sdk::ErrorKind::invalid, "instance.secret_key_invalid",
                               file.string() + " is not a file");
    }
    std::ifstream stream(file);
    if (!stream) return SecretKeys();
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return parse_secret_keys(text, file.string());
}

}  // namespace

sdk::Result<SecretKey> make_secret_key(const SecretKeys& others) {
    int highest = 0;
    for (const SecretKey& key : others)
        highest = std::max<int>(highest, key.id);
    for (int step = 1; step <= kMaxId; ++step) {
        const int id = (highest + step - 1) % kMaxId + 1;
        if (has_id(others, id)) continue;
        return SecretKey{static_cast<std::uint8_t>(id),
                         *key_of(sdk::random_hex(sdk::Sealer::kKeySize))};
    }
    return sdk::make_error(sdk::ErrorKind::conflict, "instance.secret_key_invalid",
                           "all numbers for keys are in use; remove old keys first");
}

sdk::Sealer sealer_of(const SecretKeys& keys) {
    // The last one that is added seals.
    sdk::Sealer sealer(keys.back().bytes, keys.back().id);
    for (auto key = std::next(keys.rbegin()); key != keys.rend(); ++key)
        sealer.add_key(key->bytes, key->id);
    return sealer;
}

sdk::Result<KeptSecretKeys> read_secret_keys(const config::Settings& settings,
                                             const std::filesystem::path& data) {
    const std::string configured = settings.text("secrets.key");
    const std::filesystem::path file = data / kSecretKeyFile;
    auto keys = configured.empty() ? read_key_file(file)
                                   : parse_secret_keys(configured, "the setting secrets.key");
    if (!keys) return keys.error();
    if (!keys->empty()) return KeptSecretKeys{std::move(*keys), configured.empty()};
    return sdk::make_error(
        sdk::ErrorKind::not_found, "instance.secret_key_missing",
        fmt::format("the store in {} was sealed with a key that is missing: put back {} or set "
                    "secrets.key",
                    data.string(), file.string()));
}

sdk::Result<SecretKeys> open_secret_keys(const config::Settings& settings,
                                         const std::filesystem::path& data) {
    auto kept = read_secret_keys(settings, data);
    if (kept) return std::move(kept->keys);
    const bool is_new = sdk::is_missing(kept.error()) && !std::filesystem::exists(data / "store");
    if (!is_new) return kept.error();
    if (auto made = make_key_file(data); !made) return made.error();
    return read_key_file(data / kSecretKeyFile);
}

}  // namespace stele::kernel::instance
