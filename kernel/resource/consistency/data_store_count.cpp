#include "kernel/resource/consistency/data_store_count.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/team_check.hpp"
#include "kernel/resource/data_store/data_store_records.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/storage/check/store_check.hpp"

namespace stele::kernel::resource {

sdk::Result<std::map<sdk::RecordKey, sdk::DataStoreSize>> count_data_stores(
    Records& records, const sdk::Reader& reader, std::uint64_t platform) {
    auto collections = records.documents().collections(reader, platform);
    if (!collections) return collections.error();
    std::map<sdk::RecordKey, sdk::DataStoreSize> sizes;
    for (const storage::CollectionId& collection : *collections) {
        // Any record of the collection lies in the same store.
        const sdk::RecordKey any =
            storage::record_key(collection, storage::Sequence(storage::kSequenceSize, '\0'));
        auto store = data_store_of(records, reader, any);
        if (!store) return store.error();
        if (!*store || **store == any) continue;
        auto contents = records.documents().measure(reader, collection);
        if (!contents) return contents.error();
        if (contents->records == 0) continue;
        sdk::DataStoreSize& size = sizes[**store];
        size.objects += static_cast<std::int64_t>(contents->records);
        size.bytes += static_cast<std::int64_t>(contents->bytes);
    }
    auto attached = for_each_attached(
        reader, platform,
        [&](const sdk::RecordKey& record, const sdk::Json& attachments) -> sdk::Result<void> {
            auto store = data_store_of(records, reader, record);
            if (!store) return store.error();
            if (!*store) return {};
            const sdk::DataStoreSize more = size_of_attachments(attachments);
            sizes[**store].objects += more.objects;
            sizes[**store].bytes += more.bytes;
            return {};
        });
    if (!attached) return attached.error();
    return sizes;
}

sdk::Result<std::vector<sdk::RecordKey>> keys_of_family(Records& records, const sdk::Reader& reader,
                                                        const sdk::PlatformScope& platform,
                                                        const RegisteredResource& resource) {
    auto place = records.collection(reader, platform, resource);
    if (!place) return place.error();
    std::vector<sdk::RecordKey> keys;
    if (!place->id) return keys;
    auto all = records.documents().first_records(reader, *place->id, SIZE_MAX);
    if (!all) return all.error();
    for (const storage::Record& record : *all)
        keys.push_back(record.key());
    return keys;
}

namespace {

/// The data stores in which something lies in a space: what they hold cannot be counted here.
sdk::Result<std::set<sdk::RecordKey>> stores_with_spaces(Records& records,
                                                         const sdk::Reader& reader,
                                                         std::uint64_t platform) {
    auto collections = records.documents().collections(reader, platform);
    if (!collections) return collections.error();
    std::set<sdk::RecordKey> stores;
    for (const storage::CollectionId& collection : *collections) {
        const sdk::RecordKey any =
            storage::record_key(collection, storage::Sequence(storage::kSequenceSize, '\0'));
        auto resource = records.resource_of(reader, any);
        if (!resource) return resource.error();
        if (*resource && !(*resource)->descriptor.has_space) continue;
        auto count = records.documents().count(reader, collection);
        if (!count) return count.error();
        // Nobody says any more where the records of a plugin that is not enabled lie.
        if (!*resource && *count > 0) continue;
        auto store = data_store_of(records, reader, any);
        if (!store) return store.error();
        if (*store) stores.insert(**store);
    }
    return stores;
}

void compare(std::string_view what, const std::string& store, std::int64_t kept,
             std::int64_t counted, std::vector<std::string>& differences) {
    if (kept == counted) return;
    differences.push_back(
        fmt::format("{}: the {} kept are {}, counted are {}", store, what, kept, counted));
}

/// `counted` is absent where counting failed; `name` becomes better when the record can be read.
sdk::Result<void> check_data_store(Records& records, const sdk::Reader& reader,
                                   const sdk::RecordKey& key,
                                   const std::optional<sdk::DataStoreSize>& counted,
                                   std::string& name, std::vector<std::string>& differences) {
    storage::Record record;
    if (auto found = records.read(reader, key, record); !found) return found;
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    const sdk::Json& fields = document->fields;
    name = fmt::format("{} {}", sdk::text_member(fields, "datastoreTypeId"), document->id);
    auto state = read_store_state(reader, key);
    if (!state) return state.error();
    if (!*state) {
        differences.push_back(name + ": the data store has no state");
        return {};
    }
    const auto has = [&fields](const char* member, const sdk::Json& value) {
        return fields.value(member, sdk::Json()) == value;
    };
    if (!has("locked", (*state)->lock.has_value()) ||
        ((*state)->lock && !has("lockedBy", (*state)->lock->name))) {
        differences.push_back(name + ": its record and its lock do not agree");
    }
    auto is_open = is_open_store(reader, key);
    if (!is_open) return is_open.error();
    if (*is_open != has("enableAuthorities", false)) {
        differences.push_back(name + ": its record and its authorities do not agree");
    }
    auto kept = read_store_size(reader, key);
    if (!kept) return kept.error();
    if (!counted) return {};
    compare("objects", name, kept->objects, counted->objects, differences);
    compare("bytes", name, kept->bytes, counted->bytes, differences);
    return {};
}

using StoreSizes = std::map<sdk::RecordKey, sdk::DataStoreSize>;

/// Counts what the plugin of the spaces counts; what it does not know stays uncounted.
void add_content_sizes(sdk::ContentSizes& sizes, const sdk::Reader& reader, StoreSizes& counted,
                       std::set<sdk::RecordKey>& uncounted, std::vector<std::string>& differences) {
    for (auto store = uncounted.begin(); store != uncounted.end();) {
        auto content = sizes.content_size(reader, *store);
        if (!content) {
            differences.push_back(
                storage::not_checked("the content of a data store", content.error()));
        }
        if (!content || !*content) {
            ++store;
            continue;
        }
        sdk::DataStoreSize& sum = counted[*store];
        sum.objects += (*content)->objects;
        sum.bytes += (*content)->bytes;
        store = uncounted.erase(store);
    }
}

sdk::Result<void> check_family(Records& records, const sdk::Reader& reader,
                               const sdk::PlatformScope& platform,
                               const RegisteredResource& resource,
                               const sdk::Result<StoreSizes>& counted,
                               const std::set<sdk::RecordKey>& uncounted,
                               std::vector<std::string>& differences) {
    const std::string& type = resource.descriptor.type;
    auto adopted = are_data_stores(reader, platform.number, type);
    if (!adopted) return adopted.error();
    // A store of an older version, which the next start brings up to date.
    if (!*adopted) return {};
    auto keys = keys_of_family(records, reader, platform, resource);
    if (!keys) return keys.error();
    for (const sdk::RecordKey& key : *keys) {
        std::optional<sdk::DataStoreSize> size;
        if (counted && !uncounted.contains(key)) {
            const auto found = counted->find(key);
            size = found == counted->end() ? sdk::DataStoreSize() : found->second;
        }
        std::string name = type + " " + storage::sequence_text(storage::sequence_of(key));
        auto checked = check_data_store(records, reader, key, size, name, differences);
        if (!checked) differences.push_back(storage::not_checked(name, checked.error()));
    }
    return {};
}

/// A collection whose container is gone must be marked, or nobody would ever empty it.
sdk::Result<void> check_container(storage::DocumentStore& documents, const sdk::Reader& reader,
                                  storage::CollectionId collection, const std::string& name,
                                  std::vector<std::string>& differences) {
    auto info = documents.describe(reader, collection);
    if (!info) return info.error();
    if (!*info || (*info)->container.empty()) return {};
    storage::Record container;
    auto found = documents.read(reader, (*info)->container, container);
    if (!found) return found.error();
    if (*found) return {};
    auto removed = documents.is_removed(reader, collection);
    if (!removed) return removed.error();
    if (*removed) return {};
    differences.push_back(
        fmt::format("{} ({}): the record that contains it is gone", name, (*info)->type));
    return {};
}

void check_containers(storage::DocumentStore& documents, const sdk::Reader& reader,
                      std::uint64_t platform, std::vector<std::string>& differences) {
    auto collections = documents.collections(reader, platform);
    if (!collections) {
        differences.push_back(storage::not_checked(
            fmt::format("platform {}, its collections", platform), collections.error()));
        return;
    }
    for (const storage::CollectionId& collection : *collections) {
        const std::string name =
            fmt::format("platform {}, collection {}", platform, collection.number);
        auto checked = check_container(documents, reader, collection, name, differences);
        if (!checked) differences.push_back(storage::not_checked(name, checked.error()));
    }
}

}  // namespace

void check_data_stores(Records& records, sdk::ContentSizes* content_sizes,
                       const sdk::Reader& reader, const sdk::PlatformScope& platform,
                       std::vector<std::string>& differences) {
    auto counted = count_data_stores(records, reader, platform.number);
    if (!counted) {
        differences.push_back(storage::not_checked(
            fmt::format("platform {}, what its data stores hold", platform.number),
            counted.error()));
    }
    auto uncounted = stores_with_spaces(records, reader, platform.number);
    if (!uncounted) {
        differences.push_back(storage::not_checked(
            fmt::format("platform {}, its collections", platform.number), uncounted.error()));
        return;
    }
    if (counted && content_sizes != nullptr)
        add_content_sizes(*content_sizes, reader, *counted, *uncounted, differences);
    for (const RegisteredResource& resource : records.registry().resources()) {
        if (!resource.descriptor.capabilities.data_store) continue;
        auto checked =
            check_family(records, reader, platform, resource, counted, *uncounted, differences);
        if (checked) continue;
        differences.push_back(storage::not_checked(
            fmt::format("platform {}, {}", platform.number, resource.collection_path),
            checked.error()));
    }
}

std::vector<std::string> check_store(Services& services) {
    const auto reader = services.engine->snapshot();
    std::vector<std::string> differences =
        services.documents.check(*reader, [&](storage::CollectionId collection) {
            return services.records.checked_space(*reader, collection);
        });
    auto platforms = services.platforms.all();
    if (!platforms) {
        differences.push_back(storage::not_checked("the list of platforms", platforms.error()));
        return differences;
    }
    for (const sdk::PlatformScope& platform : *platforms) {
        check_data_stores(services.records, services.content_sizes, *reader, platform, differences);
        check_containers(services.documents, *reader, platform.number, differences);
        check_teams(services, *reader, platform, differences);
    }
    return differences;
}

namespace {

/// As long as a platform is among the removed ones something of it is left, if only its number.
sdk::Result<std::uint64_t> count_of_removed_platform(const sdk::Reader& reader,
                                                     std::uint64_t platform) {
    constexpr char kRecordTag = 'd';
    const std::string prefix = storage::kind_prefix(platform, kRecordTag);
    std::uint64_t count = 0;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        ++count;
    if (auto status = cursor->status(); !status) return status.error();
    return std::max<std::uint64_t>(count, 1);
}

}  // namespace

sdk::Result<std::uint64_t> count_removed(sdk::Engine& engine, storage::DocumentStore& documents,
                                         Platforms& platforms) {
    const auto reader = engine.snapshot();
    auto all = platforms.all();
    if (!all) return all.error();
    std::uint64_t left = 0;
    for (const sdk::PlatformScope& platform : *all) {
        auto removed = documents.removed_collections(*reader, platform.number);
        if (!removed) return removed.error();
        for (const storage::RemovedCollection& collection : *removed) {
            auto count = documents.count(*reader, collection.id);
            if (!count) return count.error();
            left += *count;
        }
    }
    auto gone = platforms.removed();
    if (!gone) return gone.error();
    for (const std::uint64_t platform : *gone) {
        auto count = count_of_removed_platform(*reader, platform);
        if (!count) return count.error();
        left += *count;
    }
    return left;
}

}  // namespace stele::kernel::resource
