#include "kernel/resource/records.hpp"

#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/resource/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

/// Collection number -> key of the record that contains it.
std::string container_row(storage::CollectionId collection) {
    return sdk::KeyWriter(storage::plugin_space(collection.platform, "kernel.container"))
        .integer(collection.number)
        .key();
}

storage::CollectionId collection_of(const sdk::RecordKey& key) {
    storage::CollectionId collection;
    std::string_view sequence;
    storage::split_record_key(key, collection, sequence);
    return collection;
}

}  // namespace

sdk::Error unknown_record(std::string_view type, std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           fmt::format("there is no {} {}", type, id));
}

sdk::Result<CollectionPlace> Records::collection(const sdk::Reader& reader,
                                                 const sdk::PlatformScope& platform,
                                                 const sdk::CollectionName& name) const {
    CollectionPlace place;
    place.name = name;
    place.resource = registry_.find(name.type);
    place.container = platform.root;
    auto id = documents_.find_collection(reader, platform.number, name.type, name.container);
    if (!id) return id.error();
    place.id = *id;
    if (!place.resource || !place.resource->container) return place;
    if (place.id) {
        auto info = info_of(reader, *place.id);
        if (!info) return info.error();
        place.container = info->container;
        return place;
    }
    auto outer = collection(reader, platform, {place.resource->container->descriptor.type, ""});
    if (!outer) return outer;
    storage::Record record;
    if (auto found = read(reader, *outer, name.container, record); !found) return found.error();
    place.container = record.key();
    return place;
}

sdk::Result<storage::CollectionId> Records::open_collection(sdk::Transaction& transaction,
                                                            const sdk::PlatformScope& platform,
                                                            const CollectionPlace& place) const {
    if (place.id) return *place.id;
    auto id = documents_.open_collection(transaction, platform.number, place.name.type,
                                         place.name.container);
    if (id) transaction.put(container_row(*id), place.container);
    return id;
}

sdk::Result<void> Records::read(const sdk::Reader& reader, const CollectionPlace& place,
                                std::string_view id, storage::Record& record) const {
    if (place.id) {
        auto found = documents_.read(reader, *place.id, id, record);
        if (!found) return found.error();
        if (*found) return {};
        if (place.resource) {
            for (const std::string& field : place.resource->addressing_fields) {
                auto by_value = documents_.read_unique(reader, *place.id, field, id, record);
                if (!by_value) return by_value.error();
                if (*by_value) return {};
            }
        }
    }
    return unknown_record(place.name.type, id);
}

sdk::Result<void> Records::read(const sdk::Reader& reader, const sdk::RecordKey& key,
                                storage::Record& record) const {
    auto found = documents_.read(reader, key, record);
    if (!found) return found.error();
    if (!*found) return unknown_record("record", "of that key");
    return {};
}

sdk::Result<sdk::Document> Records::open(const storage::Record& record) const {
    sdk::Json secrets = sdk::Json::object();
    if (!record.sealed().empty()) {
        auto text = sealer_.open(record.sealed());
        if (!text) return text.error();
        auto parsed = sdk::parse_json(*text);
        if (!parsed) return parsed.error();
        secrets = std::move(*parsed);
    }
    return document_of(record, std::move(secrets));
}

std::string Records::seal(const sdk::Json& secrets) const {
    if (secrets.empty()) return {};
    return sealer_.seal(sdk::dump_json(secrets));
}

sdk::Result<Records::Info> Records::info_of(const sdk::Reader& reader,
                                            storage::CollectionId collection) const {
    const auto key = std::make_pair(collection.platform, collection.number);
    {
        std::shared_lock lock(mutex_);
        const auto known = infos_.find(key);
        if (known != infos_.end()) return known->second;
    }
    auto described = documents_.describe(reader, collection);
    if (!described) return described.error();
    if (!*described) return unknown_record("collection", std::to_string(collection.number));
    Info info;
    info.name = {(*described)->type, (*described)->container};
    info.resource = registry_.find(info.name.type);
    auto container = reader.get(container_row(collection));
    if (!container) return container.error();
    if (*container) {
        info.container = **container;
    } else {
        auto platform = platforms_.find(collection.platform);
        if (!platform) return platform.error();
        info.container = platform->root;
    }
    // A transaction's own writes may never be committed, and its numbers then be given anew.
    const auto* transaction = dynamic_cast<const sdk::Transaction*>(&reader);
    if (transaction && transaction->has_writes()) return info;
    std::unique_lock lock(mutex_);
    infos_[key] = info;
    return info;
}

sdk::Result<const RegisteredResource*> Records::resource_of(const sdk::Reader& reader,
                                                            const sdk::RecordKey& key) const {
    auto info = info_of(reader, collection_of(key));
    if (!info) return info.error();
    return info->resource;
}

sdk::Result<std::optional<sdk::RecordKey>> Records::container_of(const sdk::Reader& reader,
                                                                 const sdk::RecordKey& record) {
    auto info = info_of(reader, collection_of(record));
    if (!info) return info.error();
    if (info->name.type == kPlatformType) return std::optional<sdk::RecordKey>();
    return std::optional<sdk::RecordKey>(info->container);
}

bool Records::is_container(const sdk::RecordKey& record) {
    const storage::CollectionId collection = collection_of(record);
    std::shared_lock lock(mutex_);
    const auto known = infos_.find({collection.platform, collection.number});
    if (known == infos_.end()) return true;
    const Info& info = known->second;
    return !info.resource || info.name.type == kPlatformType || !info.resource->contained.empty();
}

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
        auto info = info_of(reader, collection_of(step));
        if (!document || !info) return document ? info.error() : document.error();
        if (info->name.type == kPlatformType) return stores;
        stores.push_back({info->name.type, document->id, text_member(document->fields, "title")});
    }
}

sdk::Result<sdk::PolicySubject> Records::subject(const sdk::Reader& reader,
                                                 const sdk::RecordKey& key) {
    auto info = info_of(reader, collection_of(key));
    if (!info) return info.error();
    sdk::PolicySubject subject;
    subject.platform = collection_of(key).platform;
    subject.key = key;
    subject.type = info->name.type;
    subject.reference = [this, &reader, key]() -> sdk::Result<std::string> {
        auto platform = platforms_.find(collection_of(key).platform);
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

}  // namespace stele::kernel::resource
