#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include <stele/sdk/documents.hpp>
#include <stele/sdk/sealer.hpp>

#include "kernel/resource/record/platforms.hpp"
#include "kernel/resource/record/space_reader.hpp"
#include "kernel/resource/registry/registry.hpp"
#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::resource {

/// Members with their values that set a part of a collection apart; empty: all of it.
using CollectionPart = std::vector<std::pair<std::string, std::string>>;

/// A collection and the record that contains it.
struct CollectionPlace {
    const RegisteredResource* resource = nullptr;
    sdk::CollectionName name;
    /// Absent while the collection has never held a record.
    std::optional<storage::CollectionId> id;
    /// The platform's root where that is the container.
    sdk::RecordKey container;
    /// What the path says: records that say otherwise are not there for whoever came by it, and new
    /// ones get it.
    CollectionPart part = {};
};

/// The name by which a field addresses a record of a part: the part's values and the name itself,
/// with slashes between. The name alone in a whole collection.
std::string name_in_part(const CollectionPart& part, std::string_view name);
/// Whether the members of a record say what the part does; true of a whole collection.
sdk::Result<bool> is_in_part(const storage::Record& record, const CollectionPart& part);

/// Finds records by path and by key. Any thread.
class Records {
public:
    Records(const Registry& registry, storage::DocumentStore& documents, Platforms& platforms,
            const sdk::Sealer& sealer)
        : registry_(registry), documents_(documents), platforms_(platforms), sealer_(sealer) {}

    /// The collection of a name, whose container is looked for; without a resource when no enabled
    /// plugin offers the type.
    sdk::Result<CollectionPlace> collection(const sdk::Reader& reader,
                                            const sdk::PlatformScope& platform,
                                            const sdk::CollectionName& name) const;
    /// The collection of a family at the platform's level.
    sdk::Result<CollectionPlace> collection(const sdk::Reader& reader,
                                            const sdk::PlatformScope& platform,
                                            const RegisteredResource& resource) const;
    /// The collection of a family inside a record of its container's family.
    sdk::Result<CollectionPlace> collection_inside(const sdk::Reader& reader,
                                                   const RegisteredResource& resource,
                                                   const storage::Record& container) const;

    /// What is left of a collection whose container was removed; `not_found` while no enabled
    /// plugin offers its family.
    sdk::Result<CollectionPlace> removed_place(const sdk::Reader& reader,
                                               const storage::RemovedCollection& removed) const;

    /// The same, made when missing.
    sdk::Result<storage::CollectionId> open_collection(sdk::Transaction& transaction,
                                                       const sdk::PlatformScope& platform,
                                                       const CollectionPlace& place) const;

    /// What the records of a place, which must have a number, are read from.
    /// For `DocumentStore::check`.
    sdk::Result<std::optional<storage::DocumentStore::CheckedSpace>> checked_space(
        const sdk::Reader& reader, storage::CollectionId collection) const;
    sdk::Result<SpaceReader> open_space(const sdk::Reader& reader,
                                        const CollectionPlace& place) const;
    /// What they are written to; like it the context's own transaction where the family has no
    /// space.
    static sdk::Result<sdk::Transaction*> write_space(sdk::Context& context,
                                                      const CollectionPlace& place,
                                                      storage::CollectionId id);

    /// Reads by id, alias or a field that addresses records; `not_found` otherwise.
    /// `space` takes what the record was read from.
    sdk::Result<void> read(const sdk::Reader& reader, const CollectionPlace& place,
                           std::string_view id, storage::Record& record,
                           std::optional<SpaceReader>* space = nullptr) const;
    /// By its key. A record whose container was removed is not there any more.
    sdk::Result<void> read(const sdk::Reader& reader, const sdk::RecordKey& key,
                           storage::Record& record) const;
    sdk::Result<sdk::Document> open(const storage::Record& record) const;
    std::string seal(const sdk::Json& secrets) const;

    /// The family of a record; null when no enabled plugin offers it (or it is a platform's root).
    sdk::Result<const RegisteredResource*> resource_of(const sdk::Reader& reader,
                                                       const sdk::RecordKey& key) const;

    /// The record that contains this one; nothing for a platform's root record.
    sdk::Result<std::optional<sdk::RecordKey>> container_of(const sdk::Reader& reader,
                                                            const sdk::RecordKey& record) const;
    /// Whether records like this one may contain others, or rights reach out of them; also while
    /// that is not known. For observers: reads nothing.
    bool is_container(const sdk::RecordKey& record) const;

    /// What never changes about a collection.
    struct Info {
        const RegisteredResource* resource = nullptr;
        std::string type;
        /// The record that contains it.
        sdk::RecordKey container;
    };
    sdk::Result<std::shared_ptr<const Info>> info_of(const sdk::Reader& reader,
                                                     storage::CollectionId collection) const;

    storage::DocumentStore& documents() const { return documents_; }
    const Registry& registry() const { return registry_; }

private:
    sdk::Result<void> find_container(const sdk::Reader& reader, const sdk::PlatformScope& platform,
                                     const RegisteredResource& family,
                                     const sdk::CollectionName& name,
                                     storage::Record& container) const;
    /// What the store says; null for a collection that is not there.
    sdk::Result<std::shared_ptr<const Info>> describe(const sdk::Reader& reader,
                                                      storage::CollectionId collection) const;
    sdk::Result<void> meet_observed(const sdk::Reader& reader) const;
    sdk::Result<bool> is_gone(const sdk::Reader& reader, const sdk::RecordKey& key) const;

    const Registry& registry_;
    storage::DocumentStore& documents_;
    Platforms& platforms_;
    const sdk::Sealer& sealer_;
    mutable std::shared_mutex mutex_;
    mutable std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const Info>> infos_;
    /// Collections of which `is_container` was asked while they were unknown: observers must not
    /// read, so whoever reads next finds out.
    mutable std::set<std::pair<std::uint64_t, std::uint64_t>> observed_;
    mutable std::atomic<bool> has_observed_ = false;
};

sdk::Error unknown_record(std::string_view type, std::string_view id);

}  // namespace stele::kernel::resource
