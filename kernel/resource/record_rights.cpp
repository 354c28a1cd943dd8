#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record_fields.hpp"
#include "kernel/resource/records.hpp"

namespace stele::kernel::resource {

sdk::Result<std::vector<sdk::PolicySubject::Store>> Records::stores_of(const sdk::Reader& reader,
                                                                       const sdk::RecordKey& key) {
    std::vector<sdk::PolicySubject::Store> stores;
    sdk::RecordKey step = key;
    while (true) {
        auto container = container_of(reader, step);
        if (!container) return container.error();
        if (!*container) return stores;
        step = **container;
        storage::Record record;
        if (auto found = read(reader, step, record); !found) return found.error();
        auto document = document_of(record, sdk::Json::object());
        auto info = info_of(reader, storage::collection_of(step));
        if (!document || !info) return document ? info.error() : document.error();
        if ((*info)->type == kPlatformType) return stores;
        stores.push_back(
            {(*info)->type, document->id, sdk::text_member(document->fields, "title")});
    }
}

sdk::Result<sdk::PolicySubject> Records::subject(const sdk::Reader& reader,
                                                 const sdk::RecordKey& key) {
    auto info = info_of(reader, storage::collection_of(key));
    if (!info) return info.error();
    sdk::PolicySubject subject;
    subject.platform = storage::collection_of(key).platform;
    subject.key = key;
    subject.type = (*info)->type;
    subject.reference = [this, &reader, key]() -> sdk::Result<std::string> {
        auto platform = platforms_.find(reader, storage::collection_of(key).platform);
        if (!platform) return platform.error();
        return reference(reader, *platform, key);
    };
    subject.fields = [this, &reader, key]() -> sdk::Result<sdk::Json> {
        storage::Record record;
        if (auto found = read(reader, key, record); !found) return found.error();
        auto document = document_of(record, sdk::Json::object());
        if (!document) return document.error();
        return std::move(document->fields);
    };
    subject.stores = [this, &reader, key] { return stores_of(reader, key); };
    return subject;
}

sdk::Result<sdk::SpaceCollection> Records::collection_of_record(
    const sdk::Reader& reader, const sdk::RecordKey& record) const {
    const storage::CollectionId id = storage::collection_of(record);
    auto info = info_of(reader, id);
    if (!info) return info.error();
    return sdk::SpaceCollection{id.platform, id.number, (*info)->type, (*info)->container};
}

sdk::Result<bool> Records::has_reaching_grants(const sdk::Reader& reader,
                                               const sdk::RecordKey& record) {
    auto resource = resource_of(reader, record);
    if (!resource) return resource.error();
    return *resource && (*resource)->descriptor.capabilities.reaching_grants;
}

sdk::Result<bool> Records::has_own_rights(const sdk::Reader& reader, const sdk::RecordKey& record) {
    auto resource = resource_of(reader, record);
    if (!resource) return resource.error();
    return *resource && (*resource)->has_own_rights();
}

sdk::Result<std::vector<std::string>> Records::roles_of(const sdk::Reader& reader,
                                                        const sdk::RecordKey& record,
                                                        const sdk::RecordKey& principal) {
    auto resource = resource_of(reader, record);
    if (!resource) return resource.error();
    if (!*resource || !(*resource)->has_own_rights()) return std::vector<std::string>();
    auto collection = collection_of_record(reader, record);
    if (!collection) return collection.error();
    return plugin::guarded<std::vector<std::string>>((*resource)->plugin_id, "roles_of", [&] {
        return (*resource)->resource->roles_of(reader, *collection, record, principal);
    });
}

sdk::Result<std::vector<sdk::RecordKey>> Records::inherits_from(const sdk::Reader& reader,
                                                                const sdk::RecordKey& record) {
    auto resource = resource_of(reader, record);
    if (!resource) return resource.error();
    if (!*resource || !(*resource)->has_own_rights()) return std::vector<sdk::RecordKey>();
    auto collection = collection_of_record(reader, record);
    if (!collection) return collection.error();
    return plugin::guarded<std::vector<sdk::RecordKey>>(
        (*resource)->plugin_id, "inherits_from",
        [&] { return (*resource)->resource->inherits_from(reader, *collection, record); });
}

}  // namespace stele::kernel::resource
