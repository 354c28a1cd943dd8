#include "kernel/resource/consistency/standard_teams.hpp"

#include <algorithm>
#include <functional>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

std::string given_key(std::uint64_t platform, const std::string& type) {
    return sdk::KeyWriter(storage::plugin_space(platform, "kernel.teams")).text(type).key();
}

sdk::Result<std::vector<sdk::Principal>> direct_owners(sdk::PrincipalDirectory* principals,
                                                       sdk::Context& context,
                                                       const sdk::RecordKey& record) {
    std::vector<sdk::Principal> owners;
    auto acl = context.authorities().acl(record);
    if (!acl) return acl.error();
    for (const sdk::AclEntry& entry : *acl) {
        const bool owns =
            std::find(entry.roles.begin(), entry.roles.end(), "owner") != entry.roles.end();
        if (!owns || !principals) continue;
        auto owner = principals->describe(context, entry.principal);
        if (!owner && sdk::is_missing(owner.error())) continue;
        if (!owner) return owner.error();
        owners.push_back(*std::move(owner));
    }
    return owners;
}

using PlatformWork = std::function<sdk::Result<void>(sdk::Context&)>;

/// Nothing happens to a record that is gone meanwhile.
sdk::Result<void> give_owners(Services& services, sdk::Context& context,
                              const sdk::RecordKey& record) {
    storage::Record stored;
    auto found = services.records.read(context.transaction(), record, stored);
    if (!found && sdk::is_missing(found.error())) return {};
    if (!found) return found;
    auto owners = direct_owners(services.principals, context, record);
    if (!owners) return owners.error();
    return services.teams.create_owners(context, record, *owners);
}

/// `run` decides about the transactions.
sdk::Result<void> give_to_family(Services& services, const sdk::PlatformScope& platform,
                                 const RegisteredResource& resource, const sdk::Reader& reader,
                                 const std::function<sdk::Result<void>(const PlatformWork&)>& run) {
    const std::string& type = resource.descriptor.type;
    auto given = has_standard_teams(reader, platform.number, type);
    if (!given) return given.error();
    if (*given) return {};
    auto keys = keys_of_family(services.records, reader, platform, resource);
    if (!keys) return keys.error();
    for (const sdk::RecordKey& key : *keys) {
        auto done = run([&](sdk::Context& context) { return give_owners(services, context, key); });
        if (!done) return done;
    }
    return run([&](sdk::Context& context) {
        context.transaction().put(given_key(platform.number, type), "1");
        return sdk::Result<void>();
    });
}

sdk::Result<void> give_to_platform(
    Services& services, const sdk::PlatformScope& platform, const sdk::Reader& reader,
    const std::function<sdk::Result<void>(const PlatformWork&)>& run) {
    if (!services.team_groups) return {};
    for (const RegisteredResource& resource : services.registry.resources()) {
        if (!resource.descriptor.capabilities.teams) continue;
        auto given = give_to_family(services, platform, resource, reader, run);
        if (!given) return given;
    }
    return {};
}

}  // namespace

sdk::Result<bool> has_standard_teams(const sdk::Reader& reader, std::uint64_t platform,
                                     const std::string& type) {
    auto given = reader.get(given_key(platform, type));
    if (!given) return given.error();
    return given->has_value();
}

sdk::Result<void> give_standard_teams(Services& services) {
    auto platforms = services.platforms.all();
    if (!platforms) return platforms.error();
    for (const sdk::PlatformScope& platform : *platforms) {
        auto given = give_to_platform(
            services, platform, *services.engine->snapshot(),
            [&](const PlatformWork& work) { return run_as_system(services, platform, work); });
        if (!given) return given;
    }
    return {};
}

sdk::Result<void> give_standard_teams(Services& services, sdk::Context& context) {
    return give_to_platform(services, context.platform(), context.transaction(),
                            [&context](const PlatformWork& work) { return work(context); });
}

}  // namespace stele::kernel::resource
