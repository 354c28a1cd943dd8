#include "kernel/http/secret_keys.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include <stele/sdk/seal.hpp>

namespace stele::kernel::http {

namespace {

std::optional<unsigned> digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

sdk::Result<sdk::Sealer> sealer_of(const std::string& hex, const std::string& origin) {
    std::string key;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        const auto high = digit_of(hex[i]);
        const auto low = digit_of(hex[i + 1]);
        if (!high || !low) break;
        key += static_cast<char>(*high * 16 + *low);
    }
    if (hex.size() == 2 * sdk::Sealer::kKeySize && key.size() == sdk::Sealer::kKeySize) {
        return sdk::Sealer(key);
    }
    return sdk::make_error(sdk::ErrorKind::invalid, "instance.secret_key_invalid",
                           fmt::format("{} must hold 64 hexadecimal digits", origin));
}

sdk::Result<std::string> make_key_file(const std::filesystem::path& file) {
    const std::string hex = sdk::random_hex(sdk::Sealer::kKeySize);
    const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    const bool is_written =
        descriptor >= 0 &&
        ::write(descriptor, hex.data(), hex.size()) == static_cast<ssize_t>(hex.size()) &&
        ::fsync(descriptor) == 0;
    const int problem = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (is_written) return hex;
    return sdk::make_error(sdk::ErrorKind::unavailable, "instance.data_unusable",
                           fmt::format("the key file {} cannot be written: {}", file.string(),
                                       std::strerror(problem)));
}

}  // namespace

sdk::Result<sdk::Sealer> open_secret_keys(const config::Settings& settings,
                                          const std::filesystem::path& data) {
    const std::string configured = settings.text("secrets.key");
    if (!configured.empty()) return sealer_of(configured, "the setting secrets.key");
    const std::filesystem::path file = data / "secrets.key";
    std::ifstream stream(file);
    std::string hex;
    if (stream >> hex) return sealer_of(hex, file.string());
    if (std::filesystem::exists(data / "store")) {
        return sdk::make_error(
            sdk::ErrorKind::unavailable, "instance.secret_key_missing",
            fmt::format("the store in {} was sealed with a key that is missing: put back {} or set "
                        "secrets.key",
                        data.string(), file.string()));
    }
    auto made = make_key_file(file);
    if (!made) return made.error();
    return sealer_of(*made, file.string());
}

}  // namespace stele::kernel::http
