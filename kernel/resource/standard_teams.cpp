#include "kernel/resource/standard_teams.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/data_store_count.hpp"
#include "kernel/resource/rooms.hpp"
#include "kernel/resource/work_context.hpp"

namespace stele::kernel::resource {

namespace {

std::string given_key(std::uint64_t platform, const std::string& type) {
    return sdk::KeyWriter(storage::plugin_space(platform, "kernel.teams")).text(type).key();
}

sdk::Result<std::vector<sdk::Principal>> direct_owners(Rooms& rooms, sdk::Context& context,
                                                       const sdk::RecordKey& record) {
    std::vector<sdk::Principal> owners;
    auto acl = context.authorities().acl(record);
    if (!acl) return acl.error();
    for (const sdk::AclEntry& entry : *acl) {
        const bool owns =
            std::find(entry.roles.begin(), entry.roles.end(), "owner") != entry.roles.end();
        if (!owns || !rooms.principals) continue;
        auto owner = rooms.principals->describe(context, entry.principal);
        if (!owner && sdk::is_missing(owner.error())) continue;
        if (!owner) return owner.error();
        owners.push_back(*std::move(owner));
    }
    return owners;
}

sdk::Result<void> give_owners(Rooms& rooms, sdk::Context& context, const sdk::RecordKey& record) {
    auto owners = direct_owners(rooms, context, record);
    if (!owners) return owners.error();
    return rooms.teams.create_owners(context, record, *owners);
}

sdk::Result<void> give_owners(Rooms& rooms, const sdk::PlatformScope& platform,
                              const sdk::RecordKey& record) {
    return run_as_system(rooms, platform, [&](sdk::Context& context) -> sdk::Result<void> {
        storage::Record stored;
        auto found = rooms.records.read(context.transaction(), record, stored);
        if (!found && sdk::is_missing(found.error())) return {};
        if (!found) return found;
        return give_owners(rooms, context, record);
    });
}

sdk::Result<void> give_to_family(Rooms& rooms, const sdk::PlatformScope& platform,
                                 const RegisteredResource& resource) {
    const std::string mark = given_key(platform.number, resource.descriptor.type);
    const auto reader = rooms.engine->snapshot();
    auto given = reader->get(mark);
    if (!given) return given.error();
    if (*given) return {};
    auto keys = keys_of_family(rooms.records, *reader, platform, resource);
    if (!keys) return keys.error();
    for (const sdk::RecordKey& key : *keys) {
        if (auto done = give_owners(rooms, platform, key); !done) return done;
    }
    return sdk::write_with_retry(*rooms.engine, [&mark](sdk::Transaction& transaction) {
        transaction.put(mark, "1");
        return sdk::Result<void>();
    });
}

}  // namespace

sdk::Result<void> give_standard_teams(Rooms& rooms) {
    if (!rooms.team_groups) return {};
    auto platforms = rooms.platforms.all();
    if (!platforms) return platforms.error();
    for (const sdk::PlatformScope& platform : *platforms) {
        for (const RegisteredResource& resource : rooms.registry.resources()) {
            if (!resource.descriptor.capabilities.teams) continue;
            if (auto given = give_to_family(rooms, platform, resource); !given) return given;
        }
    }
    return {};
}

sdk::Result<void> give_standard_teams(Rooms& rooms, sdk::Context& context) {
    if (!rooms.team_groups) return {};
    sdk::Transaction& transaction = context.transaction();
    for (const RegisteredResource& resource : rooms.registry.resources()) {
        if (!resource.descriptor.capabilities.teams) continue;
        auto keys = keys_of_family(rooms.records, transaction, context.platform(), resource);
        if (!keys) return keys.error();
        for (const sdk::RecordKey& key : *keys) {
            if (auto given = give_owners(rooms, context, key); !given) return given;
        }
        transaction.put(given_key(context.platform().number, resource.descriptor.type), "1");
    }
    return {};
}

}  // namespace stele::kernel::resource
