#include <stele/sdk/registrar.hpp>

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>

namespace stele::sdk {

namespace {

/// `Teams` of `stele::sdk::Teams`.
std::string service_name(std::type_index type) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
    const std::string name = status == 0 ? readable.get() : type.name();
    const std::size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// The registrar answers with digits.
std::int64_t number_in(const std::string& digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

}  // namespace

std::string Registrar::choice(Setting setting, std::vector<std::string> one_of) {
    setting.one_of = std::move(one_of);
    return this->setting(std::move(setting));
}

std::int64_t Registrar::number(Setting setting, std::int64_t least, std::int64_t most) {
    setting.kind = SettingKind::number;
    setting.least = least;
    setting.most = most;
    return number_in(this->setting(std::move(setting)));
}

std::int64_t Registrar::bytes(Setting setting, std::int64_t least) {
    setting.kind = SettingKind::bytes;
    setting.least = least;
    return number_in(this->setting(std::move(setting)));
}

bool Registrar::flag(Setting setting) {
    setting.kind = SettingKind::flag;
    return this->setting(std::move(setting)) == "true";
}

Error Registrar::service_missing(std::type_index type) {
    return make_error(
        ErrorKind::unavailable, "plugin.service_missing",
        "it needs the service " + service_name(type) + ", which no enabled plugin publishes");
}

}  // namespace stele::sdk
