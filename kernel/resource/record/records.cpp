#include "kernel/resource/record/records.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

/// What is known of more collections is forgotten, and read again by whoever asks.
constexpr std::size_t kMaxInfos = 65536;

sdk::SpaceCollection space_collection(const RegisteredResource& resource, storage::CollectionId id,
                                      const sdk::RecordKey& container) {
    return {id.platform, id.number, resource.descriptor.type, container};
}

sdk::Result<SpaceReader> space_of(const sdk::Reader& reader, const RegisteredResource* resource,
                                  storage::CollectionId id, const sdk::RecordKey& container) {
    if (!resource || !resource->descriptor.has_space) return SpaceReader(reader);
    auto space =
        plugin::guarded<std::unique_ptr<sdk::Reader>>(resource->plugin_id, "read_space", [&] {
            return resource->resource->read_space(reader,
                                                  space_collection(*resource, id, container));
        });
    if (!space) return space.error();
    return SpaceReader(*std::move(space));
}

/// A transaction's own writes may never be committed, and its numbers then be given anew: what it
/// sees is not to be remembered.
bool has_writes(const sdk::Reader& reader) {
    const sdk::Transaction* const transaction = reader.as_transaction();
    return transaction && transaction->has_writes();
}

/// By what the catalogue of collections tells the containers of a type apart: the key of the
/// record, as ids are unique inside one collection only and may come again after a removal.
std::string_view catalogue_name(const CollectionPlace& place) {
    const bool is_inside_record = place.resource->container != nullptr;
    return is_inside_record ? std::string_view(place.container) : std::string_view();
}

}  // namespace

sdk::Error unknown_record(std::string_view type, std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           fmt::format("there is no {} {}", type, id));
}

sdk::Result<CollectionPlace> Records::collection(const sdk::Reader& reader,
                                                 const sdk::PlatformScope& platform,
                                                 const sdk::CollectionName& name) const {
    const RegisteredResource* resource = registry_.find(name.type);
    if (!resource) {
        CollectionPlace place;
        place.name = name;
        return place;
    }
    if (!resource->container) return collection(reader, platform, *resource);
    storage::Record container;
    auto found = find_container(reader, platform, *resource->container, name, container);
    if (!found) return found.error();
    return collection_inside(reader, *resource, container);
}

sdk::Result<CollectionPlace> Records::collection(const sdk::Reader& reader,
                                                 const sdk::PlatformScope& platform,
                                                 const RegisteredResource& resource) const {
    CollectionPlace place;
    place.resource = &resource;
    place.name.type = resource.descriptor.type;
    place.container = platform.root;
    auto id =
        documents_.find_collection(reader, platform.number, place.name.type, catalogue_name(place));
    if (!id) return id.error();
    place.id = *id;
    return place;
}

sdk::Result<CollectionPlace> Records::collection_inside(const sdk::Reader& reader,
                                                        const RegisteredResource& resource,
                                                        const storage::Record& container) const {
    CollectionPlace place;
    place.resource = &resource;
    place.container = container.key();
    place.name = {resource.descriptor.type, id_of(container), place.container};
    auto id = documents_.find_collection(reader, container.collection.platform, place.name.type,
                                         catalogue_name(place));
    if (!id) return id.error();
    place.id = *id;
    return place;
}

sdk::Result<void> Records::find_container(const sdk::Reader& reader,
                                          const sdk::PlatformScope& platform,
                                          const RegisteredResource& family,
                                          const sdk::CollectionName& name,
                                          storage::Record& container) const {
    const std::string& type = family.descriptor.type;
    if (name.container_key.empty()) {
        if (family.container) {
            return sdk::make_error(
                sdk::ErrorKind::internal, "resource.container_ambiguous",
                "the server failed; the request id leads to its log",
                fmt::format("{} {} is named by its id, which is unique inside its {} only", type,
                            name.container, family.container->descriptor.type));
        }
        auto outer = collection(reader, platform, family);
        if (!outer) return outer.error();
        return read(reader, *outer, name.container, container);
    }
    auto found = documents_.read(reader, name.container_key, container);
    if (!found) return found.error();
    if (!*found) return unknown_record(type, name.container);
    auto info = info_of(reader, container.collection);
    if (!info) return info.error();
    if ((*info)->resource == &family) return {};
    return sdk::make_error(sdk::ErrorKind::internal, "resource.container_ambiguous",
                           "the server failed; the request id leads to its log",
                           fmt::format("{} is named as container of {}, which lies in {}",
                                       (*info)->type, name.type, type));
}

sdk::Result<storage::CollectionId> Records::open_collection(sdk::Transaction& transaction,
                                                            const sdk::PlatformScope& platform,
                                                            const CollectionPlace& place) const {
    if (place.id) return *place.id;
    return documents_.open_collection(transaction, platform.number, place.name.type,
                                      catalogue_name(place));
}

sdk::Result<SpaceReader> Records::open_space(const sdk::Reader& reader,
                                             const CollectionPlace& place) const {
    return space_of(reader, place.resource, *place.id, place.container);
}

sdk::Result<std::optional<storage::DocumentStore::CheckedSpace>> Records::checked_space(
    const sdk::Reader& reader, storage::CollectionId collection) const {
    using Space = std::optional<storage::DocumentStore::CheckedSpace>;
    auto info = info_of(reader, collection);
    if (!info) return info.error();
    const RegisteredResource* const resource = (*info)->resource;
    if (!resource || !resource->descriptor.has_space) return Space();
    auto space =
        plugin::guarded<std::unique_ptr<sdk::Reader>>(resource->plugin_id, "read_space", [&] {
            return resource->resource->read_space(
                reader, space_collection(*resource, collection, (*info)->container));
        });
    if (!space) return space.error();
    return Space(storage::DocumentStore::CheckedSpace{std::move(*space), &resource->rules});
}

sdk::Result<sdk::Transaction*> Records::write_space(sdk::Context& context,
                                                    const CollectionPlace& place,
                                                    storage::CollectionId id) {
    const RegisteredResource& resource = *place.resource;
    if (!resource.descriptor.has_space) return &context.transaction();
    return plugin::guarded<sdk::Transaction*>(resource.plugin_id, "write_space", [&] {
        return resource.resource->write_space(context,
                                              space_collection(resource, id, place.container));
    });
}

std::string name_in_part(const CollectionPart& part, std::string_view name) {
    std::string whole;
    for (const auto& [member, value] : part)
        whole.append(value).push_back('/');
    return whole.append(name);
}

sdk::Result<bool> is_in_part(const storage::Record& record, const CollectionPart& part) {
    if (part.empty()) return true;
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    return std::all_of(part.begin(), part.end(), [&](const auto& said) {
        return sdk::text_member(document->fields, said.first) == said.second;
    });
}

sdk::Result<void> Records::read(const sdk::Reader& reader, const CollectionPlace& place,
                                std::string_view id, storage::Record& record,
                                std::optional<SpaceReader>* kept) const {
    if (!place.id) return unknown_record(place.name.type, id);
    auto space = open_space(reader, place);
    if (!space) return space.error();
    auto found = documents_.read(**space, *place.id, id, record);
    if (found && *found) found = is_in_part(record, place.part);
    if (found && !*found && place.resource) {
        const std::string name = name_in_part(place.part, id);
        for (const std::string& field : place.resource->addressing_fields) {
            found = documents_.read_unique(**space, *place.id, field, name, record);
            // Another part's address may be spelled alike: a/b of one, b of one/a.
            if (found && *found) found = is_in_part(record, place.part);
            if (!found || *found) break;
        }
    }
    if (!found) return found.error();
    if (!*found) return unknown_record(place.name.type, id);
    if (kept) kept->emplace(*std::move(space));
    return {};
}

sdk::Result<void> Records::read(const sdk::Reader& reader, const sdk::RecordKey& key,
                                storage::Record& record) const {
    const storage::CollectionId collection = storage::collection_of(key);
    auto info = info_of(reader, collection);
    if (!info && sdk::is_missing(info.error())) return unknown_record("record", "of that key");
    if (!info) return info.error();
    auto space = space_of(reader, (*info)->resource, collection, (*info)->container);
    if (!space) return space.error();
    auto found = documents_.read(**space, key, record);
    if (!found) return found.error();
    if (!*found) return unknown_record("record", "of that key");
    auto gone = is_gone(reader, key);
    if (!gone) return gone.error();
    if (*gone) return unknown_record("record", "of that key");
    return {};
}

sdk::Result<bool> Records::is_gone(const sdk::Reader& reader, const sdk::RecordKey& key) const {
    sdk::RecordKey step = key;
    while (true) {
        const storage::CollectionId collection = storage::collection_of(step);
        auto info = info_of(reader, collection);
        if (!info) return info.error();
        const bool is_outermost = (*info)->resource && !(*info)->resource->container;
        if (is_outermost || (*info)->type == kPlatformType) return false;
        auto removed = documents_.is_removed(reader, collection);
        if (!removed || *removed) return removed;
        step = (*info)->container;
    }
}

sdk::Result<CollectionPlace> Records::removed_place(
    const sdk::Reader& reader, const storage::RemovedCollection& removed) const {
    CollectionPlace place;
    place.resource = registry_.find(removed.type);
    if (!place.resource) {
        return sdk::make_error(sdk::ErrorKind::not_found, "resource.type_unknown",
                               "no enabled plugin offers " + removed.type);
    }
    auto info = info_of(reader, removed.id);
    if (!info) return info.error();
    place.id = removed.id;
    place.container = (*info)->container;
    place.name = {removed.type, "", (*info)->container};
    return place;
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

sdk::Result<std::shared_ptr<const Records::Info>> Records::info_of(
    const sdk::Reader& reader, storage::CollectionId collection) const {
    if (auto met = meet_observed(reader); !met) return met.error();
    if (!documents_.may_have_opened(reader, collection)) {
        std::shared_lock lock(mutex_);
        const auto known = infos_.find({collection.platform, collection.number});
        if (known != infos_.end()) return known->second;
    }
    auto described = describe(reader, collection);
    if (!described) return described.error();
    if (!*described) return unknown_record("collection", std::to_string(collection.number));
    return described;
}

sdk::Result<std::shared_ptr<const Records::Info>> Records::describe(
    const sdk::Reader& reader, storage::CollectionId collection) const {
    auto described = documents_.describe(reader, collection);
    if (!described) return described.error();
    if (!*described) return std::shared_ptr<const Info>();
    Info info;
    info.type = (*described)->type;
    info.resource = registry_.find(info.type);
    info.container = (*described)->container;
    if (info.container.empty()) {
        auto platform = platforms_.find(reader, collection.platform);
        if (!platform) return platform.error();
        info.container = platform->root;
    }
    auto known = std::make_shared<const Info>(std::move(info));
    if (!has_writes(reader)) {
        std::unique_lock lock(mutex_);
        if (infos_.size() >= kMaxInfos) infos_.clear();
        infos_[{collection.platform, collection.number}] = known;
    }
    return known;
}

sdk::Result<void> Records::meet_observed(const sdk::Reader& reader) const {
    if (!has_observed_ || has_writes(reader)) return {};
    std::set<std::pair<std::uint64_t, std::uint64_t>> observed;
    {
        std::unique_lock lock(mutex_);
        observed.swap(observed_);
        has_observed_ = false;
    }
    for (const auto& [platform, number] : observed) {
        if (auto described = describe(reader, {platform, number}); !described)
            return described.error();
    }
    return {};
}

sdk::Result<const RegisteredResource*> Records::resource_of(const sdk::Reader& reader,
                                                            const sdk::RecordKey& key) const {
    auto info = info_of(reader, storage::collection_of(key));
    if (!info) return info.error();
    return (*info)->resource;
}

sdk::Result<std::optional<sdk::RecordKey>> Records::container_of(
    const sdk::Reader& reader, const sdk::RecordKey& record) const {
    auto info = info_of(reader, storage::collection_of(record));
    if (!info) return info.error();
    if ((*info)->type == kPlatformType) return std::optional<sdk::RecordKey>();
    return std::optional<sdk::RecordKey>((*info)->container);
}

bool Records::is_container(const sdk::RecordKey& record) const {
    const storage::CollectionId collection = storage::collection_of(record);
    std::shared_lock lock(mutex_);
    const auto known = infos_.find({collection.platform, collection.number});
    if (known == infos_.end()) {
        lock.unlock();
        const std::unique_lock writing(mutex_);
        // What nobody finds out about goes on counting as a container.
        if (observed_.size() < kMaxInfos) observed_.emplace(collection.platform, collection.number);
        has_observed_ = true;
        return true;
    }
    const Info& info = *known->second;
    // What has teams may be what others inherit from; what bounds policies is asked for its title.
    return !info.resource || info.type == kPlatformType || !info.resource->contained.empty() ||
           info.resource->descriptor.capabilities.teams ||
           info.resource->descriptor.bounds_policies;
}

}  // namespace stele::kernel::resource
