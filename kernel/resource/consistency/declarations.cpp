#include "kernel/resource/consistency/declarations.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/data_store/data_store_changes.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

namespace {

/// What the records of a type on a platform fit already.
struct Applied {
    std::vector<std::string> unique;
    bool is_data_store = false;

    friend bool operator==(const Applied&, const Applied&) = default;
};

std::string applied_key(std::uint64_t platform, const std::string& type) {
    return sdk::KeyWriter(storage::plugin_space(platform, "kernel.declared")).text(type).key();
}

Applied declared_by(const RegisteredResource& resource) {
    Applied declared;
    declared.unique = resource.rules.unique_fields;
    std::sort(declared.unique.begin(), declared.unique.end());
    declared.is_data_store = resource.descriptor.capabilities.data_store;
    return declared;
}

sdk::Result<Applied> read_applied(const sdk::Reader& reader, std::uint64_t platform,
                                  const std::string& type) {
    auto text = reader.get(applied_key(platform, type));
    if (!text) return text.error();
    Applied applied;
    if (!*text) return applied;
    auto stored = sdk::parse_json(**text);
    if (!stored) return stored.error();
    for (const sdk::Json& field : stored->value("unique", sdk::Json::array()))
        applied.unique.push_back(field.get<std::string>());
    applied.is_data_store = stored->value("data_store", sdk::Json()) == sdk::Json(true);
    return applied;
}

void put_applied(sdk::Transaction& transaction, std::uint64_t platform, const std::string& type,
                 const Applied& applied) {
    transaction.put(applied_key(platform, type),
                    sdk::dump_json(sdk::Json{{"unique", applied.unique},
                                             {"data_store", applied.is_data_store}}));
}

sdk::Result<void> write_applied(sdk::Engine& engine, std::uint64_t platform,
                                const std::string& type, const Applied& applied) {
    return sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
        put_applied(transaction, platform, type, applied);
        return {};
    });
}

sdk::Result<void> build_unique(sdk::Engine& engine, storage::DocumentStore& documents,
                               std::uint64_t platform, const std::string& type,
                               const std::vector<std::string>& fields) {
    const auto reader = engine.snapshot();
    auto collections = documents.collections(*reader, platform);
    if (!collections) return collections.error();
    for (const storage::CollectionId& collection : *collections) {
        auto info = documents.describe(*reader, collection);
        if (!info) return info.error();
        if (!*info || (*info)->type != type) continue;
        for (const std::string& field : fields) {
            auto built = documents.build_unique(collection, field);
            if (built) continue;
            sdk::Error error = built.error();
            error.message = fmt::format("{}: {}", type, error.message);
            return error;
        }
    }
    return {};
}

/// Makes a data store of a record that was none.
sdk::Result<void> adopt(sdk::Engine& engine, Records& records, const RegisteredResource& resource,
                        const sdk::RecordKey& key, const sdk::DataStoreSize& size) {
    return sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
        auto state = read_store_state(transaction, key);
        if (!state) return state.error();
        if (*state) return {};
        storage::Record record;
        if (auto found = records.read(transaction, key, record); !found) return found;
        auto document = document_of(record, sdk::Json::object());
        if (!document) return document.error();
        const sdk::CollectionName name{resource.descriptor.type, "", {}};
        sdk::Change change{sdk::ChangeKind::create, name, nullptr, &*document};
        for (const char* member : {"locked", "statisticsDirty"})
            document->fields.erase(member);
        settle_data_store(change);
        document->fields["statisticsDirty"] = true;
        auto stored = records.documents().replace(transaction, resource.rules, record,
                                                  document->fields, record.sealed());
        if (!stored) return stored.error();
        if (auto added = add_store_size(transaction, key, size, -1); !added) return added;
        return sync_data_store(transaction, change);
    });
}

sdk::Result<void> adopt_family(sdk::Engine& engine, Records& records,
                               const sdk::PlatformScope& platform,
                               const RegisteredResource& resource) {
    const auto reader = engine.snapshot();
    auto keys = keys_of_family(records, *reader, platform, resource);
    if (!keys) return keys.error();
    if (keys->empty()) return {};
    auto sizes = count_data_stores(records, *reader, platform.number);
    if (!sizes) return sizes.error();
    for (const sdk::RecordKey& key : *keys) {
        const auto size = sizes->find(key);
        auto adopted = adopt(engine, records, resource, key,
                             size == sizes->end() ? sdk::DataStoreSize() : size->second);
        if (!adopted) return adopted;
    }
    return {};
}

sdk::Result<void> apply(Services& services, const sdk::PlatformScope& platform,
                        const RegisteredResource& resource) {
    const std::string& type = resource.descriptor.type;
    const Applied declared = declared_by(resource);
    auto applied = read_applied(*services.engine->snapshot(), platform.number, type);
    if (!applied) return applied.error();
    if (*applied == declared) return {};
    std::vector<std::string> fields;
    std::set_difference(declared.unique.begin(), declared.unique.end(), applied->unique.begin(),
                        applied->unique.end(), std::back_inserter(fields));
    // What was stored in a space before a field was declared keeps its value without a row.
    if (!fields.empty() && !resource.descriptor.has_space) {
        auto built =
            build_unique(*services.engine, services.documents, platform.number, type, fields);
        if (!built) return built;
    }
    if (declared.is_data_store && !applied->is_data_store) {
        if (auto adopted = adopt_family(*services.engine, services.records, platform, resource);
            !adopted)
            return adopted;
    }
    // What is no longer declared is no longer kept up, and would have to be made again.
    return write_applied(*services.engine, platform.number, type, declared);
}

}  // namespace

sdk::Result<bool> are_data_stores(const sdk::Reader& reader, std::uint64_t platform,
                                  const std::string& type) {
    auto applied = read_applied(reader, platform, type);
    if (!applied) return applied.error();
    return applied->is_data_store;
}

void mark_declared(const Registry& registry, sdk::Transaction& transaction,
                   std::uint64_t platform) {
    for (const RegisteredResource& resource : registry.resources()) {
        const std::string& type = resource.descriptor.type;
        if (type != kPlatformType) put_applied(transaction, platform, type, declared_by(resource));
    }
}

sdk::Result<void> apply_declarations(Services& services) {
    auto platforms = services.platforms.all();
    if (!platforms) return platforms.error();
    for (const sdk::PlatformScope& platform : *platforms) {
        for (const RegisteredResource& resource : services.registry.resources()) {
            if (resource.descriptor.type == kPlatformType) continue;
            if (auto applied = apply(services, platform, resource); !applied) return applied;
        }
    }
    return {};
}

}  // namespace stele::kernel::resource
