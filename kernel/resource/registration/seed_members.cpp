#include "kernel/resource/registration/seed_members.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::resource {

namespace {

bool is_whole(const sdk::SeedMember& member) {
    const auto is_empty = [](const std::string& text) { return text.empty(); };
    return !member.name.empty() && !member.texts.empty() &&
           std::none_of(member.texts.begin(), member.texts.end(), is_empty);
}

sdk::Violation violation(const std::string& path, std::string_view problem) {
    return {path, "instance.seed_invalid", fmt::format("{} {}", path, problem)};
}

}  // namespace

SeedMembers::SeedMembers() {
    members_.push_back({"kernel", {kPlatform, {kTitle}}});
}

const SeedMembers::Taken* SeedMembers::find(std::string_view name) const {
    const auto found = std::find_if(members_.begin(), members_.end(), [name](const Taken& taken) {
        return taken.member.name == name;
    });
    return found == members_.end() ? nullptr : &*found;
}

sdk::Result<void> SeedMembers::add(const std::string& plugin_id, sdk::SeedMember member) {
    if (!is_whole(member)) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
            fmt::format("plugin {}: a member of the seed needs a name and texts with names",
                        plugin_id));
    }
    if (const Taken* other = find(member.name)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "plugin.seed_duplicate",
                               fmt::format("plugin {}: {} takes the seed's member {} already",
                                           plugin_id, other->plugin_id, member.name));
    }
    members_.push_back({plugin_id, std::move(member)});
    return {};
}

sdk::Result<void> SeedMembers::check(const sdk::Json& seed) const {
    sdk::Violations violations;
    for (const auto& [name, texts] : seed.items()) {
        if (!texts.is_object()) {
            violations.push_back(violation(name, "must be an object"));
            continue;
        }
        const Taken* taken = find(name);
        for (const auto& [text, value] : texts.items()) {
            const std::string path = fmt::format("{}.{}", name, text);
            if (!taken) {
                violations.push_back(violation(path, "is no seed of the enabled plugins"));
                continue;
            }
            const auto& known = taken->member.texts;
            if (std::find(known.begin(), known.end(), text) == known.end()) {
                violations.push_back(violation(path, "is no seed"));
            } else if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
                violations.push_back(violation(path, "must be a text that is not empty"));
            }
        }
    }
    if (violations.empty()) return {};
    return sdk::make_error(std::move(violations));
}

sdk::Result<std::vector<sdk::LoginLine>> SeedMembers::complete(sdk::Json& seed) const {
    using Lines = std::vector<sdk::LoginLine>;
    Lines lines;
    for (const auto& [plugin_id, member] : members_) {
        if (!member.complete) continue;
        const auto present = seed.find(member.name);
        sdk::Json whole = present == seed.end() ? sdk::Json::object() : *present;
        auto told = plugin::guarded<Lines>(
            plugin_id, "complete seed", [&] { return sdk::Result<Lines>(member.complete(whole)); });
        if (!told) return told;
        seed[member.name] = std::move(whole);
        std::move(told->begin(), told->end(), std::back_inserter(lines));
    }
    return lines;
}

PluginSeeds SeedMembers::by_plugin(const sdk::Json& seed) const {
    PluginSeeds seeds;
    for (const auto& [plugin_id, member] : members_) {
        const auto present = seed.find(member.name);
        if (present == seed.end()) continue;
        seeds.try_emplace(plugin_id, sdk::Json::object()).first->second[member.name] = *present;
    }
    return seeds;
}

}  // namespace stele::kernel::resource
