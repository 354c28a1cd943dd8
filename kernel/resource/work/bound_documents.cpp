#include "kernel/resource/work/bound_documents.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/data_store/data_store_changes.hpp"
#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

/// `_doc` and the ids of the containers, then the fields.
sdk::Json identified(const CollectionPlace& place, const sdk::PlatformScope& platform,
                     const std::string& id, sdk::Json fields) {
    constexpr std::size_t kOwnMembers = 4;
    sdk::Json record = sdk::Json::object();
    sdk::reserve_members(record, kOwnMembers + fields.size());
    record["_doc"] = id;
    const sdk::ResourceDescriptor& descriptor = place.resource->descriptor;
    const bool is_root = descriptor.type == kPlatformType;
    if (!place.resource->container && !is_root) record["platformId"] = platform.id;
    if (!descriptor.container_member.empty()) {
        record[descriptor.container_member] = place.name.container;
    }
    for (auto& [name, value] : fields.items())
        append_member(record, name, std::move(value));
    return record;
}

/// The place of a new record in its collection. Records in a space come back under their ids
/// (restored, merged, cloned ones), so there a wanted id is the place itself.
sdk::Result<storage::Sequence> sequence_for(const CollectionPlace& place, std::string& wanted_id) {
    if (wanted_id.empty() || !place.resource->descriptor.has_space) return storage::next_sequence();
    storage::Sequence sequence;
    if (!storage::parse_sequence(wanted_id, sequence)) {
        return sdk::make_error(
            {{"_doc", "field.value_unknown", "_doc must be an id that the server has made"}});
    }
    wanted_id.clear();
    return sequence;
}

sdk::Result<sdk::Document> as_document(sdk::Result<WrittenRecord> written) {
    if (!written) return written.error();
    return std::move(written->document);
}

void notify_later(WorkContext& context, const RegisteredResource& resource,
                  const sdk::Change& change) {
    if (!resource.descriptor.notified) return;
    struct Copies {
        std::optional<sdk::Document> before, after;
        sdk::Change change;
    };
    auto copies = std::make_shared<Copies>();
    copies->change = change;
    if (change.before) copies->change.before = &copies->before.emplace(*change.before);
    if (change.after) copies->change.after = &copies->after.emplace(*change.after);
    context.after_commit([copies, &resource] {
        auto done = plugin::guarded<void>(resource.plugin_id, "notify", [&]() -> sdk::Result<void> {
            resource.resource->notify(copies->change);
            return {};
        });
        // The escaped exception is logged and counted; the commit stands.
        (void)done;
    });
}

}  // namespace

sdk::Result<void> BoundDocuments::check_writable(const CollectionPlace& place,
                                                 const sdk::Change& change) {
    const RegisteredResource& resource = *place.resource;
    return plugin::guarded<void>(resource.plugin_id, "check_writable", [&] {
        return resource.resource->check_writable(change, context_);
    });
}

sdk::Result<void> BoundDocuments::run_hooks_before(const CollectionPlace& place,
                                                   sdk::Change& change) {
    const RegisteredResource& resource = *place.resource;
    if (auto free = check_writable(place, change); !free) return free;
    return plugin::guarded<void>(resource.plugin_id, "prepare", [&]() -> sdk::Result<void> {
        if (auto prepared = resource.resource->prepare(change, context_); !prepared) {
            return prepared;
        }
        sdk::Violations violations;
        if (resource.descriptor.capabilities.data_store && change.after) {
            check_data_store(change.after->fields, services_.binaries, violations);
        }
        resource.resource->validate(change, context_, violations);
        if (!violations.empty()) return sdk::make_error(std::move(violations));
        return {};
    });
}

sdk::Result<void> BoundDocuments::run_hooks_after(const CollectionPlace& place,
                                                  const sdk::Change& change) {
    const RegisteredResource& resource = *place.resource;
    auto stored = plugin::guarded<void>(
        resource.plugin_id, "stored", [&] { return resource.resource->stored(change, context_); });
    if (stored) notify_later(context_, resource, change);
    return stored;
}

sdk::Result<void> BoundDocuments::grant_on_create(const CollectionPlace& place,
                                                  const sdk::RecordKey& key, bool is_hidden) {
    sdk::Transaction& transaction = context_.transaction();
    if (!context_.session().is_system && !place.resource->descriptor.is_ungranted) {
        auto granted =
            services_.authorities.grant(transaction, key, context_.principal().key, "owner");
        if (!granted) return granted;
    }
    if (is_hidden) return {};
    for (const sdk::DefaultGrant& grant : place.resource->descriptor.default_grants) {
        sdk::RecordKey to = key;
        if (grant.to == sdk::DefaultGrant::To::everyone) {
            auto everyone = services_.authorities.everyone(transaction, context_.platform().number);
            if (!everyone) return everyone.error();
            if (!*everyone) continue;
            to = **everyone;
        }
        auto granted = services_.authorities.grant(transaction, key, to, grant.role_key);
        if (!granted) return granted;
    }
    return {};
}

sdk::Result<sdk::Document> BoundDocuments::create(const sdk::CollectionName& collection,
                                                  sdk::Json fields) {
    auto place = place_of(collection);
    if (!place) return place.error();
    return as_document(create(*place, std::move(fields)));
}

sdk::Result<sdk::Document> BoundDocuments::create_hidden(const sdk::CollectionName& collection,
                                                         sdk::Json fields) {
    auto place = place_of(collection);
    if (!place) return place.error();
    return as_document(create(*place, std::move(fields), true));
}

sdk::Result<WrittenRecord> BoundDocuments::create(const CollectionPlace& place, sdk::Json fields,
                                                  bool is_hidden) {
    BoundDataStores& stores = context_.bound_data_stores();
    const bool is_contained = place.resource->container != nullptr;
    if (is_contained) {
        if (auto free = stores.check_writable(place.container); !free) return free.error();
    }
    auto decoded = decode_create(place.resource->descriptor, std::move(fields));
    if (!decoded) return decoded.error();
    auto sequence = sequence_for(place, decoded->wanted_id);
    if (!sequence) return sequence.error();
    sdk::Document after;
    after.id = decoded->wanted_id.empty() ? storage::sequence_text(*sequence) : decoded->wanted_id;
    after.fields = identified(place, context_.platform(), after.id, std::move(decoded->fields));
    for (const auto& [member, value] : place.part)
        after.fields[member] = value;
    after.secrets = std::move(decoded->secrets);
    after.version = 1;
    sdk::Change change{sdk::ChangeKind::create, place.name, nullptr, &after};
    const bool is_store = place.resource->descriptor.capabilities.data_store;
    if (is_store) settle_data_store(change);
    if (auto hooked = run_hooks_before(place, change); !hooked) return hooked.error();

    if (auto completed = set_system(place, change, nullptr); !completed) return completed.error();
    sdk::Transaction& transaction = context_.transaction();
    auto id = services_.records.open_collection(transaction, context_.platform(), place);
    if (!id) return id.error();
    auto space = Records::write_space(context_, place, *id);
    if (!space) return space.error();
    auto addressed = check_addresses(place, **space, *id, decoded->wanted_id, *sequence, after);
    if (!addressed) return addressed.error();
    auto stored = services_.documents.insert(**space, *id, place.resource->rules,
                                             {.sequence = *sequence,
                                              .custom_id = decoded->wanted_id,
                                              .fields = after.fields,
                                              .sealed = services_.records.seal(after.secrets)});
    if (!stored) return stored.error();
    if (auto fits = check_size(*stored, 0); !fits) return fits.error();
    after.key = storage::record_key(*id, *sequence);
    if (auto opened = open_spaces(place, after); !opened) return opened.error();
    if (is_contained) {
        const sdk::DataStoreSize more{1, static_cast<std::int64_t>(stored->content_size())};
        auto counted = is_hidden ? stores.count_own(place.container, more)
                                 : stores.count(place.container, more);
        if (!counted) return counted.error();
    }
    if (is_store) {
        if (auto synced = sync_data_store(transaction, change); !synced) return synced.error();
    }
    if (auto granted = grant_on_create(place, after.key, is_hidden); !granted)
        return granted.error();
    if (place.resource->descriptor.capabilities.teams) {
        std::vector<sdk::Principal> members;
        if (!context_.session().is_system) members.push_back(context_.principal());
        auto made = services_.teams.create_owners(context_, after.key, members);
        if (!made) return made.error();
    }
    if (auto hooked = run_hooks_after(place, change); !hooked) return hooked.error();
    return WrittenRecord{std::move(after), *std::move(stored)};
}

/// Whatever put it together: what can be read can be sent again. One that is larger already may
/// shrink.
sdk::Result<void> BoundDocuments::check_size(const storage::Record& stored,
                                             std::size_t size_before) const {
    const std::size_t size = stored.text().size();
    if (size <= services_.max_record_bytes || size <= size_before) return {};
    return sdk::make_error(sdk::ErrorKind::too_large, "resource.record_too_large",
                           "the record would have " + std::to_string(size) + " bytes; at most " +
                               std::to_string(services_.max_record_bytes) +
                               " are stored (server.body_bytes)");
}

/// Makes `_system` the last member of what is about to be stored.
sdk::Result<void> BoundDocuments::set_system(const CollectionPlace& place,
                                             const sdk::Change& change, const sdk::Json* before) {
    const RegisteredResource& resource = *place.resource;
    sdk::Json& fields = change.after->fields;
    if (!fields.is_object()) return check_hooked(resource.descriptor, *change.after);
    fields.erase("_system");
    sdk::Json system = system_member(context_.session(), before, sdk::now_ms());
    auto completed = plugin::guarded<void>(resource.plugin_id, "complete_system", [&] {
        return resource.resource->complete_system(change, context_, system);
    });
    if (!completed) return completed;
    if (before != nullptr && !resource.descriptor.has_space) keep_told_attachments(*before, system);
    fields["_system"] = std::move(system);
    // The last that a hook has said.
    return check_hooked(resource.descriptor, *change.after);
}

/// A space may show records from its beginning, so its collections have their numbers then.
sdk::Result<void> BoundDocuments::open_spaces(const CollectionPlace& place,
                                              const sdk::Document& container) {
    for (const RegisteredResource* contained : place.resource->contained) {
        if (!contained->descriptor.has_space) continue;
        CollectionPlace inside;
        inside.resource = contained;
        inside.name = {contained->descriptor.type, container.id, container.key};
        inside.container = container.key;
        auto opened =
            services_.records.open_collection(context_.transaction(), context_.platform(), inside);
        if (!opened) return opened.error();
    }
    return {};
}

std::int64_t BoundDocuments::written_size(const CollectionPlace& place,
                                          const storage::Record& record,
                                          const sdk::Document& document) {
    const auto shown = static_cast<std::int64_t>(record.content_size());
    if (!place.resource->descriptor.has_space) return shown;
    return shown - place.resource->resource->added_by_space(document);
}

sdk::Result<storage::Record> BoundDocuments::replace(const CollectionPlace& place,
                                                     const storage::Record& record,
                                                     const sdk::Document& before,
                                                     sdk::Document& after) {
    sdk::Transaction& transaction = context_.transaction();
    const bool is_store = place.resource->descriptor.capabilities.data_store;
    storage::Record marked;
    if (is_store) {
        // What the hooks wrote into the store may have marked its record.
        auto found = services_.records.read(transaction, before.key, marked);
        if (!found) return found.error();
        if (marked.version() != record.version()) after.fields["statisticsDirty"] = true;
    }
    const storage::Record& present = is_store ? marked : record;
    auto space = Records::write_space(context_, place, record.collection);
    if (!space) return space.error();
    auto addressed = check_addresses(place, **space, record.collection, {}, record.sequence, after);
    if (!addressed) return addressed.error();
    const sdk::Change change{sdk::ChangeKind::update, place.name, &before, &after};
    const auto system = before.fields.find("_system");
    auto completed = set_system(place, change, system == before.fields.end() ? nullptr : &*system);
    if (!completed) return completed.error();
    after.version = present.version() + 1;
    auto stored = services_.documents.replace(**space, place.resource->rules, present, after.fields,
                                              services_.records.seal(after.secrets));
    if (!stored) return stored;
    if (auto fits = check_size(*stored, present.text().size()); !fits) return fits.error();
    if (is_store) {
        if (auto synced = sync_data_store(transaction, change); !synced) return synced.error();
        return stored;
    }
    if (!place.resource->container) return stored;
    const std::int64_t grown =
        static_cast<std::int64_t>(stored->content_size()) - written_size(place, present, before);
    auto counted = context_.data_stores().count(place.container, {0, grown});
    if (!counted) return counted.error();
    return stored;
}

sdk::Result<sdk::Document> BoundDocuments::update(const sdk::CollectionName& collection,
                                                  std::string_view id, sdk::Json fields) {
    auto place = place_of(collection);
    if (!place) return place.error();
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found.error();
    return as_document(update(*place, record, std::move(fields)));
}

/// Only owners have rights on all that is inside, so only they can give it to everybody.
sdk::Result<void> BoundDocuments::check_opening(const sdk::Change& change) {
    if (!opens_data_store(change)) return {};
    return sdk::require_inside(context_, change.before->key, sdk::PermissionSet::all(),
                               "data_store.owner_required",
                               "only owners of a data store can switch its authorities off");
}

sdk::Result<WrittenRecord> BoundDocuments::update(const CollectionPlace& place,
                                                  const storage::Record& record, sdk::Json fields) {
    if (auto free = context_.data_stores().check_writable(record.key()); !free) {
        return free.error();
    }
    auto before = services_.records.open(record);
    if (!before) return before.error();
    auto decoded = decode_update(place.resource->descriptor, std::move(fields), *before);
    if (!decoded) return decoded.error();
    sdk::Document after;
    after.key = before->key;
    after.id = before->id;
    after.fields = identified(place, context_.platform(), after.id, std::move(decoded->fields));
    after.secrets = std::move(decoded->secrets);
    sdk::Change change{sdk::ChangeKind::update, place.name, &*before, &after};
    if (place.resource->descriptor.capabilities.data_store) {
        settle_data_store(change);
        if (auto allowed = check_opening(change); !allowed) return allowed.error();
    }
    if (auto hooked = run_hooks_before(place, change); !hooked) return hooked.error();
    auto stored = replace(place, record, *before, after);
    if (!stored) return stored.error();
    if (auto hooked = run_hooks_after(place, change); !hooked) return hooked.error();
    return WrittenRecord{std::move(after), *std::move(stored)};
}

sdk::Result<sdk::Document> BoundDocuments::patch(const sdk::CollectionName& collection,
                                                 std::string_view id, const sdk::Json& members) {
    auto place = place_of(collection);
    if (!place) return place.error();
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found.error();
    if (auto free = context_.data_stores().check_writable(record.key()); !free) {
        return free.error();
    }
    auto before = services_.records.open(record);
    if (!before) return before;
    sdk::Document after = *before;
    const sdk::Fields& fields = place->resource->descriptor.fields;
    for (const auto& [name, value] : members.items()) {
        const bool is_secret =
            before->secrets.contains(name) ||
            std::any_of(fields.begin(), fields.end(), [&name = name](const sdk::Field& field) {
                return field.secret && field.name == name;
            });
        (is_secret ? after.secrets : after.fields)[name] = value;
    }
    sdk::Change change{sdk::ChangeKind::update, place->name, &*before, &after};
    if (auto may = check_writable(*place, change); !may) return may.error();
    if (auto stored = replace(*place, record, *before, after); !stored) return stored.error();
    if (auto hooked = run_hooks_after(*place, change); !hooked) return hooked.error();
    return after;
}

sdk::Result<void> BoundDocuments::set_alias(const sdk::CollectionName& collection,
                                            std::string_view alias, std::string_view id) {
    auto place = place_of(collection);
    if (!place) return place.error();
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found;
    if (auto free = context_.data_stores().check_writable(record.key()); !free) return free;
    auto space = Records::write_space(context_, *place, record.collection);
    if (!space) return space.error();
    return services_.documents.set_alias(**space, record.collection, alias, record.sequence);
}

sdk::Result<void> BoundDocuments::remove_alias(const sdk::CollectionName& collection,
                                               std::string_view alias, std::string_view id) {
    auto place = place_of(collection);
    if (!place) return place.error();
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found;
    if (auto free = context_.data_stores().check_writable(record.key()); !free) return free;
    auto space = Records::write_space(context_, *place, record.collection);
    if (!space) return space.error();
    return services_.documents.remove_alias(**space, record.collection, alias, record.sequence);
}

}  // namespace stele::kernel::resource
