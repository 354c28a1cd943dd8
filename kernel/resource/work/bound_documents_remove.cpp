#include <stele/sdk/log.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record/role_rows.hpp"
#include "kernel/resource/work/bound_documents.hpp"
#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

/// Rows of indexes and counters that one step of emptying a collection removes.
constexpr std::size_t kMaxRows = 2000;

}  // namespace

sdk::Result<void> BoundDocuments::remove(const sdk::CollectionName& collection,
                                         std::string_view id) {
    auto place = place_of(collection);
    if (!place) return place.error();
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found;
    return remove(*place, record);
}

sdk::Result<void> BoundDocuments::remove(const CollectionPlace& place,
                                         const storage::Record& record) {
    if (auto free = context_.data_stores().check_writable(record.key()); !free) return free;
    auto before = services_.records.open(record);
    if (!before) return before.error();
    sdk::Change change{sdk::ChangeKind::remove, place.name, &*before, nullptr};
    if (auto hooked = run_hooks_before(place, change); !hooked) return hooked;
    if (auto erased = erase(place, *before); !erased) return erased;
    return run_hooks_after(place, change);
}

/// The record as the hooks left it, with everything in it and every right on it.
sdk::Result<void> BoundDocuments::erase(const CollectionPlace& place, const sdk::Document& before) {
    sdk::Transaction& transaction = context_.transaction();
    // First, so that nothing is counted any more in a store that goes.
    if (place.resource->descriptor.capabilities.data_store) {
        remove_store_rows(transaction, before.key);
    }
    storage::Record record;
    auto space = Records::write_space(context_, place, storage::collection_of(before.key));
    if (!space) return space.error();
    auto found = services_.documents.read(**space, before.key, record);
    if (!found) return found.error();
    // A hook may have removed it already.
    if (!*found) return {};
    if (auto removed = remove_contained(record, place); !removed) return removed;
    if (!place.resource->descriptor.has_space) {
        if (auto gone = forget_attachments(context_, before.key); !gone) return gone;
    }
    auto erased = services_.documents.erase(**space, place.resource->rules, record);
    if (!erased) return erased;
    if (place.resource->container) {
        auto counted =
            context_.data_stores().count(before.key, {-1, -written_size(place, record, before)});
        if (!counted) return counted;
    }
    if (place.resource->descriptor.capabilities.teams) {
        if (auto gone = services_.teams.forget(context_, before.key); !gone) return gone;
    }
    if (place.resource->descriptor.capabilities.roles) {
        if (auto gone = forget_roles(transaction, before.key); !gone) return gone;
    }
    return services_.authorities.forget_record(transaction, before.key);
}

sdk::Result<void> BoundDocuments::remove_contained(const storage::Record& container,
                                                   const CollectionPlace& place) {
    sdk::Transaction& transaction = context_.transaction();
    std::vector<CollectionPlace> inner;
    std::uint64_t count = 0;
    for (const RegisteredResource* contained : place.resource->contained) {
        auto found = services_.records.collection_inside(transaction, *contained, container);
        if (!found) return found.error();
        if (!found->id) continue;
        if (contained->descriptor.has_space) {
            // What is in it goes with the plugin's key space, by the hooks of the container.
            inner.push_back(std::move(*found));
            continue;
        }
        auto records = services_.documents.count(transaction, *found->id);
        if (!records) return records.error();
        count += *records;
        inner.push_back(std::move(*found));
    }
    const bool is_small = removals_ + count <= kMaxRemovals;
    if (is_small) removals_ += count;
    for (const CollectionPlace& one : inner) {
        if (is_small && !one.resource->descriptor.has_space) {
            if (auto removed = remove_all(one); !removed) return removed;
        }
        services_.documents.mark_removed(transaction, {*one.id, one.name.type});
    }
    if (inner.empty()) return {};
    authority::AuthorityStore::withdraw_decisions(transaction, context_.platform().number);
    context_.after_commit([&services = services_] { services.housekeeping.wake(); });
    return {};
}

sdk::Result<void> BoundDocuments::remove_all(const CollectionPlace& place) {
    sdk::Transaction& transaction = context_.transaction();
    auto records = services_.documents.first_records(transaction, *place.id, kMaxRemovals);
    if (!records) return records.error();
    storage::Record present;
    for (const storage::Record& record : *records) {
        auto found = services_.documents.read(transaction, record.key(), present);
        if (!found) return found.error();
        // A hook may have removed it together with a sibling, or changed it.
        if (!*found) continue;
        if (auto removed = remove(place, present); !removed) return removed;
    }
    return {};
}

/// Whether something is left of what the records of a removed collection contained: which data
/// store that counts in is found by way of the collection, also by a server that remembers nothing.
sdk::Result<bool> BoundDocuments::leads_to_others(const storage::RemovedCollection& removed) {
    const RegisteredResource* const resource = services_.registry.find(removed.type);
    if (!resource) return false;
    for (const RegisteredResource* contained : resource->contained) {
        auto found = services_.documents.has_collections_inside(context_.transaction(), removed.id,
                                                                contained->descriptor.type);
        if (!found || *found) return found;
    }
    return false;
}

sdk::Result<bool> BoundDocuments::empty_removed(const storage::RemovedCollection& removed) {
    sdk::Transaction& transaction = context_.transaction();
    auto is_left = services_.documents.is_removed(transaction, removed.id);
    if (!is_left) return is_left.error();
    if (!*is_left) return true;
    auto records = services_.documents.first_records(transaction, removed.id, kMaxRemovals);
    if (!records) return records.error();
    if (records->empty()) {
        const auto is_needed = leads_to_others(removed);
        if (!is_needed || *is_needed) return is_needed;
        // Records that lay in a space have left their grants.
        auto forgotten = services_.authorities.forget_records(
            transaction, removed.id.platform, storage::record_key_prefix(removed.id), kMaxRows);
        if (!forgotten || !*forgotten) return forgotten;
        return services_.documents.sweep_removed(transaction, removed.id, kMaxRows);
    }
    auto place = services_.records.removed_place(transaction, removed);
    if (!place) return place.error();
    removals_ += records->size();
    storage::Record present;
    for (const storage::Record& record : *records) {
        auto found = services_.documents.read(transaction, record.key(), present);
        if (!found) return found.error();
        if (!*found) continue;
        auto before = services_.records.open(present);
        if (!before) return before.error();
        sdk::Change change{sdk::ChangeKind::remove, place->name, &*before, nullptr};
        if (auto hooked = run_hooks_before(*place, change); !hooked) {
            sdk::log(sdk::LogLevel::warning, "resource",
                     "removed with its container although its family refuses: " + removed.type +
                         " " + before->id + ": " + hooked.error().message);
        }
        if (auto erased = erase(*place, *before); !erased) return erased.error();
        if (auto hooked = run_hooks_after(*place, change); !hooked) return hooked.error();
    }
    return false;
}

}  // namespace stele::kernel::resource
