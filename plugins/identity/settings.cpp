#include "settings.hpp"

#include <charconv>
#include <string>

namespace stele::identity {

namespace {

sdk::Error malformed_setting(const std::string& name, const std::string& wanted,
                             const std::string& text) {
    return sdk::make_error(sdk::ErrorKind::invalid, "identity.setting_malformed",
                           "setting identity." + name + " must be " + wanted + ", not " + text);
}

}  // namespace

sdk::Result<std::int64_t> number_setting(sdk::Registrar& registrar, sdk::Setting setting,
                                         std::int64_t least) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    const std::string name = setting.name;
    const std::string text = registrar.setting(std::move(setting));
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = problem == std::errc() && end == text.data() + text.size();
    if (is_number && value >= least && value <= kMost) return value;
    return malformed_setting(name, "a number, " + std::to_string(least) + " or more", text);
}

sdk::Result<bool> flag_setting(sdk::Registrar& registrar, sdk::Setting setting) {
    const std::string name = setting.name;
    const std::string text = registrar.setting(std::move(setting));
    if (text == "true" || text == "false") return text == "true";
    return malformed_setting(name, "true or false", text);
}

}  // namespace stele::identity
