#include "kernel/resource/registry/plugin_setting.hpp"

namespace stele::kernel::resource {

namespace {

config::SettingKind kind_of(sdk::SettingKind kind) {
    switch (kind) {
        case sdk::SettingKind::text:
            return config::SettingKind::text;
        case sdk::SettingKind::number:
            return config::SettingKind::integer;
        case sdk::SettingKind::flag:
            return config::SettingKind::boolean;
        case sdk::SettingKind::bytes:
            return config::SettingKind::bytes;
    }
    return config::SettingKind::text;
}

}  // namespace

sdk::Result<std::string> read_plugin_setting(config::Settings& settings,
                                             const std::string& plugin_id,
                                             const sdk::Setting& setting) {
    const std::string key = plugin_id + "." + setting.name;
    settings.declare({key, setting.default_value, setting.description, kind_of(setting.kind),
                      setting.least, setting.most, setting.one_of});
    return settings.checked_text(key);
}

}  // namespace stele::kernel::resource
