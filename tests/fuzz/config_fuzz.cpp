// Arbitrary bytes as a configuration file. What is accepted has values within their bounds, and
// means the same when it is written out again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel/config/settings.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele::kernel::config;
using stele::sdk::Result;
using stele::testing::fuzz_check;

/// Also what the numbers' declarations promise to those who use them.
void check_bounds(const Settings& settings, const SettingInfo& info) {
    if (info.kind == SettingKind::text) return;
    if (info.kind == SettingKind::boolean)
        return fuzz_check(settings.boolean(info.key).has_value());
    const Result<std::int64_t> number = info.kind == SettingKind::bytes ? settings.bytes(info.key)
                                        : info.kind == SettingKind::milliseconds
                                            ? settings.milliseconds(info.key)
                                            : settings.integer(info.key);
    fuzz_check(number.has_value() && *number >= info.minimum && *number <= info.maximum);
}

template <class T>
bool is_explained(const Result<T>& result) {
    if (result) return true;
    fuzz_check(!result.error().code.empty() && !result.error().message.empty());
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    Settings settings;
    if (!is_explained(settings.read_text(text, "fuzz.conf"))) return 0;
    if (!is_explained(settings.check_unknown()) || !is_explained(settings.check_values())) return 0;
    std::string written;
    for (const auto& [key, info] : settings.declared()) {
        check_bounds(settings, info);
        written += key + " = \"" + settings.text(key) + "\"\n";
    }
    Settings again;
    fuzz_check(again.read_text(written, "again.conf").has_value());
    fuzz_check(again.check_unknown().has_value() && again.check_values().has_value());
    for (const auto& [key, info] : settings.declared())
        fuzz_check(again.text(key) == settings.text(key) && again.list(key) == settings.list(key));
    return 0;
}
