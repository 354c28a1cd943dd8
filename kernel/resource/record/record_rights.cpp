#include "kernel/resource/record/record_rights.hpp"

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::resource {

sdk::Result<sdk::SpaceCollection> RecordRights::collection_of_record(
    const sdk::Reader& reader, const sdk::RecordKey& record) const {
    const storage::CollectionId id = storage::collection_of(record);
    auto info = records_.info_of(reader, id);
    if (!info) return info.error();
    return sdk::SpaceCollection{id.platform, id.number, (*info)->type, (*info)->container};
}

sdk::Result<std::optional<sdk::RecordKey>> RecordRights::container_of(
    const sdk::Reader& reader, const sdk::RecordKey& record) {
    return records_.container_of(reader, record);
}

bool RecordRights::is_container(const sdk::RecordKey& record) {
    return records_.is_container(record);
}

sdk::Result<bool> RecordRights::has_reaching_grants(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record) {
    auto resource = records_.resource_of(reader, record);
    if (!resource) return resource.error();
    return *resource && (*resource)->descriptor.capabilities.reaching_grants;
}

sdk::Result<bool> RecordRights::is_of_everyone(const sdk::Reader& reader,
                                               const sdk::RecordKey& principal) {
    if (!principals_) return true;
    return plugin::guarded<bool>("principal directory", "is_of_everyone",
                                 [&] { return principals_->is_of_everyone(reader, principal); });
}

sdk::Result<bool> RecordRights::may_act(const sdk::Reader& reader,
                                        const sdk::RecordKey& principal) {
    if (!principals_) return true;
    return plugin::guarded<bool>("principal directory", "may_act",
                                 [&] { return principals_->may_act(reader, principal); });
}

sdk::Result<bool> RecordRights::has_own_rights(const sdk::Reader& reader,
                                               const sdk::RecordKey& record) {
    auto resource = records_.resource_of(reader, record);
    if (!resource) return resource.error();
    return *resource && (*resource)->has_own_rights();
}

sdk::Result<std::vector<std::string>> RecordRights::roles_of(const sdk::Reader& reader,
                                                             const sdk::RecordKey& record,
                                                             const sdk::RecordKey& principal) {
    auto resource = records_.resource_of(reader, record);
    if (!resource) return resource.error();
    if (!*resource || !(*resource)->has_own_rights()) return std::vector<std::string>();
    auto collection = collection_of_record(reader, record);
    if (!collection) return collection.error();
    return plugin::guarded<std::vector<std::string>>((*resource)->plugin_id, "roles_of", [&] {
        return (*resource)->resource->roles_of(reader, *collection, record, principal);
    });
}

sdk::Result<std::vector<sdk::RecordKey>> RecordRights::inherits_from(const sdk::Reader& reader,
                                                                     const sdk::RecordKey& record) {
    auto resource = records_.resource_of(reader, record);
    if (!resource) return resource.error();
    if (!*resource || !(*resource)->has_own_rights()) return std::vector<sdk::RecordKey>();
    auto collection = collection_of_record(reader, record);
    if (!collection) return collection.error();
    return plugin::guarded<std::vector<sdk::RecordKey>>(
        (*resource)->plugin_id, "inherits_from",
        [&] { return (*resource)->resource->inherits_from(reader, *collection, record); });
}

sdk::Result<std::vector<sdk::RecordKey>> RecordRights::origins_of(const sdk::Reader& reader,
                                                                  const sdk::RecordKey& record) {
    auto resource = records_.resource_of(reader, record);
    if (!resource) return resource.error();
    if (!*resource || !(*resource)->descriptor.has_space) return std::vector<sdk::RecordKey>();
    auto collection = collection_of_record(reader, record);
    if (!collection) return collection.error();
    return plugin::guarded<std::vector<sdk::RecordKey>>((*resource)->plugin_id, "origins_of", [&] {
        return (*resource)->resource->origins_of(reader, *collection, record);
    });
}

sdk::Result<std::vector<sdk::RecordKey>> RecordRights::origins_inside(
    const sdk::Reader& reader, const sdk::RecordKey& container) {
    auto resource = records_.resource_of(reader, container);
    if (!resource) return resource.error();
    if (!*resource) return std::vector<sdk::RecordKey>();
    // The spaces of one container share what it came from.
    for (const RegisteredResource* family : (*resource)->contained) {
        if (!family->descriptor.has_space) continue;
        const sdk::SpaceCollection contents{storage::collection_of(container).platform, 0,
                                            family->descriptor.type, container};
        return plugin::guarded<std::vector<sdk::RecordKey>>(
            family->plugin_id, "origins_inside",
            [&] { return family->resource->origins_inside(reader, contents); });
    }
    return std::vector<sdk::RecordKey>();
}

sdk::Result<std::optional<sdk::RecordKey>> RecordRights::record_inside(
    const sdk::Reader& reader, const sdk::RecordKey& record, const sdk::RecordKey& container) {
    storage::CollectionId here;
    std::string_view sequence;
    if (!storage::split_record_key(record, here, sequence))
        return unknown_record("record", "of that key");
    auto info = records_.info_of(reader, here);
    if (!info) return info.error();
    auto there =
        records_.documents().find_collection(reader, here.platform, (*info)->type, container);
    if (!there) return there.error();
    if (!*there) return std::optional<sdk::RecordKey>();
    // What a removed container said of rights went with it.
    auto removed = records_.documents().is_removed(reader, **there);
    if (!removed) return removed.error();
    if (*removed) return std::optional<sdk::RecordKey>();
    return std::optional<sdk::RecordKey>(storage::record_key(**there, sequence));
}

}  // namespace stele::kernel::resource
