#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/record_space.hpp>

#include "kernel/authority/inheritance.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/record_rights.hpp"
#include "kernel/resource/record/team_rows.hpp"

namespace stele::kernel::resource {

namespace {

using Store = sdk::PolicySubject::Store;
using Project = sdk::PolicySubject::Project;

/// The reference of a record that has the same id in another container.
std::string reference_in(std::string reference, const std::string& container) {
    const std::size_t last = reference.rfind('/');
    const std::size_t before =
        last == std::string::npos || last == 0 ? std::string::npos : reference.rfind('/', last - 1);
    if (before == std::string::npos) return reference;
    return reference.replace(before + 1, last - before - 1, container);
}

}  // namespace

sdk::Result<Store> RecordRights::store_of(const sdk::Reader& reader, const sdk::RecordKey& key) {
    auto info = records_.info_of(reader, storage::collection_of(key));
    if (!info) return info.error();
    storage::Record record;
    auto found = records_.read(reader, key, record);
    // What came from a container that is gone is known by its id still.
    if (!found && sdk::is_missing(found.error()))
        return Store{(*info)->type, sdk::space_record_id(key), {}, {}};
    if (!found) return found.error();
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    auto aliases = records_.documents().aliases_of(reader, record.collection, record.sequence);
    if (!aliases) return aliases.error();
    const std::string said = sdk::text_member(document->fields, "alias");
    if (!said.empty()) aliases->push_back(said);
    return Store{(*info)->type, document->id, sdk::text_member(document->fields, "title"),
                 *std::move(aliases)};
}

sdk::Result<std::vector<Store>> RecordRights::stores_of(const sdk::Reader& reader,
                                                        const sdk::RecordKey& key) {
    std::vector<Store> stores;
    sdk::RecordKey step = key;
    while (true) {
        auto container = records_.container_of(reader, step);
        if (!container) return container.error();
        if (!*container) return stores;
        step = **container;
        auto store = store_of(reader, step);
        if (!store) return store.error();
        if (store->type == kPlatformType) return stores;
        stores.push_back(*std::move(store));
    }
}

sdk::Result<std::vector<sdk::PolicySubject::Origin>> RecordRights::policy_origins(
    const sdk::Reader& reader, const sdk::RecordKey& key) {
    std::vector<sdk::PolicySubject::Origin> origins;
    auto containers = origins_of(reader, key);
    if (!containers) return containers.error();
    if (containers->empty()) return origins;
    auto platform = platforms_.find(reader, storage::collection_of(key).platform);
    if (!platform) return platform.error();
    auto own = references_.reference(reader, *platform, key);
    if (!own) return own.error();
    for (const sdk::RecordKey& container : *containers) {
        auto first = store_of(reader, container);
        if (!first) return first.error();
        auto stores = stores_of(reader, container);
        if (!stores) return stores.error();
        stores->insert(stores->begin(), *first);
        origins.push_back({reference_in(*own, first->id), *std::move(stores)});
    }
    return origins;
}

sdk::Result<std::vector<Project>> RecordRights::projects_of(const sdk::Reader& reader,
                                                            const sdk::RecordKey& record) {
    // What lies on the platform itself is what a stack may hold.
    sdk::RecordKey outermost = record;
    while (true) {
        auto container = records_.container_of(reader, outermost);
        if (!container) return container.error();
        if (!*container) return std::vector<Project>();
        auto outer = records_.container_of(reader, **container);
        if (!outer) return outer.error();
        if (!*outer) break;
        outermost = **container;
    }
    auto candidates = authority::sources_of(reader, outermost);
    if (!candidates) return candidates.error();
    candidates->push_back(outermost);
    std::vector<Project> projects;
    for (const sdk::RecordKey& candidate : *candidates) {
        auto family = records_.resource_of(reader, candidate);
        if (!family) return family.error();
        if (!*family) continue;
        auto bounding = plugin::guarded<std::vector<sdk::RecordKey>>(
            (*family)->plugin_id, "bounded_by",
            [&] { return (*family)->resource->bounded_by(reader, candidate); });
        if (!bounding) return bounding.error();
        for (const sdk::RecordKey& key : *bounding) {
            const bool is_known =
                std::any_of(projects.begin(), projects.end(),
                            [&key](const Project& project) { return project.key == key; });
            if (is_known) continue;
            auto store = store_of(reader, key);
            if (!store) return store.error();
            projects.push_back({key, store->id, store->title});
        }
    }
    return projects;
}

sdk::Result<sdk::PolicySubject> RecordRights::subject(const sdk::Reader& reader,
                                                      const sdk::RecordKey& key) {
    auto info = records_.info_of(reader, storage::collection_of(key));
    if (!info) return info.error();
    sdk::PolicySubject subject;
    subject.platform = storage::collection_of(key).platform;
    subject.key = key;
    subject.type = (*info)->type;
    subject.reference = [this, &reader, key]() -> sdk::Result<std::string> {
        auto platform = platforms_.find(reader, storage::collection_of(key).platform);
        if (!platform) return platform.error();
        return references_.reference(reader, *platform, key);
    };
    subject.fields = [this, &reader, key]() -> sdk::Result<sdk::Json> {
        storage::Record record;
        if (auto found = records_.read(reader, key, record); !found) return found.error();
        auto document = document_of(record, sdk::Json::object());
        if (!document) return document.error();
        return std::move(document->fields);
    };
    subject.stores = [this, &reader, key] { return stores_of(reader, key); };
    subject.itself = [this, &reader, key] { return store_of(reader, key); };
    subject.origins = [this, &reader, key] { return policy_origins(reader, key); };
    subject.projects_of = [this, &reader](const sdk::RecordKey& record) {
        return projects_of(reader, record);
    };
    subject.team_record =
        [&reader](const sdk::RecordKey& group) -> sdk::Result<std::optional<sdk::RecordKey>> {
        auto team = team_of_group(reader, group);
        if (!team) return team.error();
        if (!*team) return std::optional<sdk::RecordKey>();
        return std::optional<sdk::RecordKey>((*team)->record);
    };
    const RegisteredResource* family = (*info)->resource;
    if (!family) return subject;
    subject.facts = &family->descriptor.policy_facts;
    if (!subject.has_fact("path")) return subject;
    subject.paths = [this, &reader, key, family]() -> sdk::Result<std::vector<std::string>> {
        auto collection = collection_of_record(reader, key);
        if (!collection) return collection.error();
        return plugin::guarded<std::vector<std::string>>(family->plugin_id, "paths_of", [&] {
            return family->resource->paths_of(reader, *collection, key);
        });
    };
    return subject;
}

std::vector<sdk::PolicyFamily> policy_families(const Registry& registry) {
    std::vector<sdk::PolicyFamily> families;
    for (const RegisteredResource& resource : registry.resources()) {
        sdk::PolicyFamily& family = families.emplace_back();
        const sdk::ResourceDescriptor& descriptor = resource.descriptor;
        family.words = descriptor.reference_words;
        family.words.push_back(descriptor.type);
        // Such words are those of single records.
        if (!descriptor.reference_type_member.empty()) family.words.emplace_back();
        family.facts = descriptor.policy_facts;
        for (const RegisteredResource* step : resource.chain)
            family.stores.push_back(step->descriptor.type);
        family.is_project = descriptor.bounds_policies;
    }
    return families;
}

}  // namespace stele::kernel::resource
