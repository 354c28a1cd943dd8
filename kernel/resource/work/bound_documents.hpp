#pragma once

#include <stele/sdk/documents.hpp>

#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

class WorkContext;

/// A record as an operation has written it, and the same as it is stored.
struct WrittenRecord {
    sdk::Document document;
    storage::Record stored;
};

/// Records inside one transaction, with the hooks of their families. What the standard operations
/// and the plugins write goes through here alike.
class BoundDocuments final : public sdk::Documents {
public:
    BoundDocuments(Services& services, WorkContext& context)
        : services_(services), context_(context) {}

    sdk::Result<sdk::Document> read(const sdk::CollectionName& collection,
                                    std::string_view id) override;
    sdk::Result<std::shared_ptr<const sdk::Document>> look_at(const sdk::CollectionName& collection,
                                                              std::string_view id) override;
    sdk::Result<sdk::Document> read(const sdk::RecordKey& key) override;
    sdk::Result<std::string> read_text(const sdk::RecordKey& key) override;
    sdk::Result<sdk::DocumentPage> query(const sdk::CollectionName& collection,
                                         const sdk::Json& query,
                                         const sdk::PageRequest& page) override;
    sdk::Result<bool> reads_all(const sdk::CollectionName& collection) override;
    sdk::Result<sdk::Document> create(const sdk::CollectionName& collection,
                                      sdk::Json fields) override;
    sdk::Result<sdk::Document> create_hidden(const sdk::CollectionName& collection,
                                             sdk::Json fields) override;
    sdk::Result<sdk::Document> update(const sdk::CollectionName& collection, std::string_view id,
                                      sdk::Json fields) override;
    sdk::Result<sdk::Document> patch(const sdk::CollectionName& collection, std::string_view id,
                                     const sdk::Json& members) override;
    sdk::Result<void> remove(const sdk::CollectionName& collection, std::string_view id) override;
    sdk::Result<void> set_alias(const sdk::CollectionName& collection, std::string_view alias,
                                std::string_view id) override;
    sdk::Result<void> remove_alias(const sdk::CollectionName& collection, std::string_view alias,
                                   std::string_view id) override;

    /// The same for callers that have found the place or the record already.
    sdk::Result<WrittenRecord> create(const CollectionPlace& place, sdk::Json fields,
                                      bool is_hidden = false);
    sdk::Result<WrittenRecord> update(const CollectionPlace& place, const storage::Record& record,
                                      sdk::Json fields);
    sdk::Result<void> remove(const CollectionPlace& place, const storage::Record& record);
    /// One step of emptying the collection of a removed container: at most `kMaxRemovals` of its
    /// records with what they contain. True when nothing of it is left, or only what leads to what
    /// was in its records, which must be erased before. A family that refuses is not asked again:
    /// the container is gone.
    sdk::Result<bool> empty_removed(const storage::RemovedCollection& removed);

    /// Records that one transaction removes because their container goes. What holds more is only
    /// marked, and emptied step by step afterwards.
    static constexpr std::uint64_t kMaxRemovals = 200;

private:
    sdk::Result<bool> leads_to_others(const storage::RemovedCollection& removed);
    sdk::Result<CollectionPlace> place_of(const sdk::CollectionName& collection);
    sdk::Result<void> read(const sdk::CollectionName& collection, std::string_view id,
                           storage::Record& record);
    sdk::Result<void> read(const sdk::RecordKey& key, storage::Record& record);
    sdk::Result<void> check_writable(const CollectionPlace& place, const sdk::Change& change);
    sdk::Result<void> run_hooks_before(const CollectionPlace& place, sdk::Change& change);
    sdk::Result<void> run_hooks_after(const CollectionPlace& place, const sdk::Change& change);
    sdk::Result<void> check_addresses(const CollectionPlace& place, const sdk::Transaction& space,
                                      storage::CollectionId collection,
                                      const std::string& custom_id, std::string_view sequence,
                                      const sdk::Document& after);
    sdk::Result<void> grant_on_create(const CollectionPlace& place, const sdk::RecordKey& key,
                                      bool is_hidden);
    sdk::Result<void> set_system(const CollectionPlace& place, const sdk::Change& change,
                                 const sdk::Json* before);
    sdk::Result<void> open_spaces(const CollectionPlace& place, const sdk::Document& container);
    sdk::Result<void> check_opening(const sdk::Change& change);
    sdk::Result<void> check_size(const storage::Record& stored, std::size_t size_before) const;
    /// What a record that was read counts in its data store.
    static std::int64_t written_size(const CollectionPlace& place, const storage::Record& record,
                                     const sdk::Document& document);
    /// Answers the record as it is stored now.
    sdk::Result<storage::Record> replace(const CollectionPlace& place,
                                         const storage::Record& record, const sdk::Document& before,
                                         sdk::Document& after);
    sdk::Result<void> erase(const CollectionPlace& place, const sdk::Document& before);
    sdk::Result<void> remove_contained(const storage::Record& container,
                                       const CollectionPlace& place);
    sdk::Result<void> remove_all(const CollectionPlace& place);

    Services& services_;
    WorkContext& context_;
    std::uint64_t removals_ = 0;
};

}  // namespace stele::kernel::resource
