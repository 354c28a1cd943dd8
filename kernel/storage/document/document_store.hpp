#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/services/collection_indexes.hpp>

#include "kernel/storage/query/query.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/record/collection_rules.hpp"
#include "kernel/storage/record/name_table.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

class CompositeAdvisor;
class CompositeBuilder;
class IndexStates;
struct IndexState;

/// A collection whose container was removed and which is emptied step by step.
struct RemovedCollection {
    CollectionId id;
    std::string type;
};

/// Storage layer 3: collections of records with secondary indexes, counts and queries. Any thread;
/// everything goes through the given reader or transaction, so several steps form one commit.
class DocumentStore {
public:
    DocumentStore(sdk::Engine& engine, NameTable& names);
    ~DocumentStore();

    /// Whether the number may be one that the reader, a transaction, has given itself: what others
    /// know of it need not be what it means then.
    bool may_have_opened(const sdk::Reader& reader, CollectionId collection) const;

    /// The collection of a type inside a container; nothing while it has never held a record.
    sdk::Result<std::optional<CollectionId>> find_collection(const sdk::Reader& reader,
                                                             std::uint64_t platform,
                                                             std::string_view type,
                                                             std::string_view container);
    /// The same, made when missing.
    sdk::Result<CollectionId> open_collection(sdk::Transaction& transaction, std::uint64_t platform,
                                              std::string_view type, std::string_view container);
    /// Type and container of a collection, as it was opened.
    struct CollectionInfo {
        std::string type;
        std::string container;
    };
    sdk::Result<std::optional<CollectionInfo>> describe(const sdk::Reader& reader,
                                                        CollectionId collection);

    /// Every collection of a platform.
    sdk::Result<std::vector<CollectionId>> collections(const sdk::Reader& reader,
                                                       std::uint64_t platform);

    /// Reads by id, custom id or alias; false when there is none.
    sdk::Result<bool> read(const sdk::Reader& reader, CollectionId collection, std::string_view id,
                           Record& record);
    /// Reads by the value of a unique field.
    sdk::Result<bool> read_unique(const sdk::Reader& reader, CollectionId collection,
                                  std::string_view field, std::string_view value, Record& record);
    sdk::Result<bool> read(const sdk::Reader& reader, std::string_view record_key, Record& record);

    struct NewRecord {
        Sequence sequence;        ///< `next_sequence()`
        std::string custom_id;    ///< empty: the id is `sequence_text(sequence)`
        const sdk::Json& fields;  ///< everything a reader gets, in order
        std::string sealed;
    };
    /// Stores a record with its index entries; answers it as it is stored. `conflict`
    /// (`document.id_taken`, `document.value_taken` with the field's name) when an id or unique
    /// value is in use.
    sdk::Result<Record> insert(sdk::Transaction& transaction, CollectionId collection,
                               const CollectionRules& rules, const NewRecord& record);
    /// Replaces what `before` (as read in this transaction) holds; touches only the index entries
    /// that differ. Answers the record as it is stored now.
    sdk::Result<Record> replace(sdk::Transaction& transaction, const CollectionRules& rules,
                                const Record& before, const sdk::Json& fields,
                                std::string_view sealed);
    sdk::Result<void> erase(sdk::Transaction& transaction, const CollectionRules& rules,
                            const Record& before);
    /// From now on nothing in the collection is there for anybody but those who empty it.
    void mark_removed(sdk::Transaction& transaction, const RemovedCollection& collection);
    sdk::Result<bool> is_removed(const sdk::Reader& reader, CollectionId collection);
    /// Those of a platform that are not empty yet.
    sdk::Result<std::vector<RemovedCollection>> removed_collections(const sdk::Reader& reader,
                                                                    std::uint64_t platform);
    /// The first records of a collection behind `after`, at most `most`.
    sdk::Result<std::vector<Record>> first_records(const sdk::Reader& reader,
                                                   CollectionId collection, std::size_t most,
                                                   const Sequence& after = {});
    /// Whether there is a collection of the type in a record that the collection has, or had.
    sdk::Result<bool> has_collections_inside(const sdk::Reader& reader, CollectionId collection,
                                             std::string_view type);
    /// Removes at most `most` rows of a removed collection that has no records any more; true when
    /// none is left, and with the last one its mark and its name go.
    sdk::Result<bool> sweep_removed(sdk::Transaction& transaction, CollectionId collection,
                                    std::size_t most);

    sdk::Result<void> set_alias(sdk::Transaction& transaction, CollectionId collection,
                                std::string_view alias, std::string_view sequence);
    /// Nothing happens where the alias means another record, or is the record's own id.
    sdk::Result<void> remove_alias(sdk::Transaction& transaction, CollectionId collection,
                                   std::string_view alias, std::string_view sequence);
    /// What a record is addressed by beside the id that the server made for it.
    sdk::Result<std::vector<std::string>> aliases_of(const sdk::Reader& reader,
                                                     CollectionId collection,
                                                     std::string_view sequence);

    /// Number of records of the collection; one read.
    sdk::Result<std::uint64_t> count(const sdk::Reader& reader, CollectionId collection);

    struct Contents {
        std::uint64_t records = 0;
        std::uint64_t bytes = 0;  ///< their `Record::content_size`
    };
    /// By looking at every record.
    sdk::Result<Contents> measure(const sdk::Reader& reader, CollectionId collection);

    /// Makes the rows by which a field is unique, for records that were stored while it was not
    /// declared so, in short transactions. Safe to repeat. `conflict` (`document.value_duplicate`)
    /// when two records have one value. Waits: not on an I/O thread.
    sdk::Result<void> build_unique(CollectionId collection, const std::string& field);

    /// Starts a query. `reader` must outlive the run. `numeric_sort` is the setting
    /// `pagination.sort_numbers: numeric`. The query is taken over.
    sdk::Result<std::unique_ptr<QueryRun>> query(const sdk::Reader& reader, CollectionId collection,
                                                 const CollectionRules& rules, Query query,
                                                 const sdk::PageRequest& page,
                                                 Visibility visibility, bool numeric_sort);

    /// Indexes that clients make for collections in spaces, whose reader or transaction is given;
    /// failures like those of `sdk::CollectionIndexes`.
    sdk::Result<std::vector<sdk::CollectionIndex>> indexes(const sdk::Reader& space,
                                                           CollectionId collection,
                                                           const CollectionRules& rules);
    /// Nothing is in it yet.
    sdk::Result<void> add_index(sdk::Transaction& space, CollectionId collection,
                                const CollectionRules& rules, const sdk::CollectionIndex& index);
    /// Its entries stay: views of the past find by them.
    sdk::Result<void> remove_index(sdk::Transaction& space, CollectionId collection,
                                   const CollectionRules& rules, std::string_view name);
    /// Puts at most `most` records into an index that is not complete; true when all are.
    sdk::Result<bool> build_indexes(sdk::Transaction& space, CollectionId collection,
                                    const CollectionRules& rules, std::size_t most);

    /// What a record's indexes ought to say and do not.
    struct MissingEntries {
        Sequence sequence;
        std::vector<std::string> entries;  ///< keys of automatic indexes and of made ones
        std::vector<std::string> values;   ///< keys of unique values that no record holds
        bool is_over_indexed = false;      ///< it is missing among the over-indexed records

        std::size_t count() const {
            return entries.size() + values.size() + (is_over_indexed ? 1 : 0);
        }
    };
    /// Of a record of a collection in a space; nothing where there is no such record. What is there
    /// and should not be is for `check` to find: it would take a walk through all entries.
    sdk::Result<MissingEntries> missing_entries(const sdk::Reader& space, CollectionId collection,
                                                const CollectionRules& rules, std::string_view id);
    /// Puts them in, and counts anew what the collection counts of fields.
    sdk::Result<void> put_missing(sdk::Transaction& space, CollectionId collection,
                                  const CollectionRules& rules, const MissingEntries& missing);

    /// A collection that lies in a space, for `check`; the rules outlive it.
    struct CheckedSpace {
        std::unique_ptr<sdk::Reader> reader;
        const CollectionRules* rules = nullptr;
    };
    /// The space of a collection; nothing for one that lies in the store itself. `not_found` for
    /// one whose container has gone.
    using OpenSpace = std::function<sdk::Result<std::optional<CheckedSpace>>(CollectionId)>;

    /// Compares records, indexes, unique values and counters of the whole store; one line per
    /// difference, and per collection that cannot be read. For `stele check`.
    std::vector<std::string> check(const sdk::Reader& reader, const OpenSpace& open_space = {});

    /// Waits until every composite index that was asked for is built.
    void finish_index_builds();

private:
    struct View;
    class UniqueBuilder;

    sdk::Result<std::shared_ptr<const IndexState>> state_of(const sdk::Reader& reader,
                                                            CollectionId collection,
                                                            const CollectionRules& rules);
    /// The collection's indexes, completed by what the rules declare.
    sdk::Result<std::shared_ptr<const IndexState>> declared_state(sdk::Transaction& transaction,
                                                                  CollectionId collection,
                                                                  const CollectionRules& rules);
    sdk::Result<void> count_fields_anew(sdk::Transaction& space, CollectionId collection,
                                        const CollectionRules& rules);
    /// Numbers are never taken back, so that every name in a stored record has one; both must
    /// outlive what is answered.
    std::function<sdk::Result<std::uint64_t>(std::string_view path)> numbers_in(
        const sdk::Reader& space, const Record& record);
    sdk::Result<View> view(sdk::Transaction& transaction, const CollectionRules& rules,
                           const IndexState& state, const Record& record);
    sdk::Result<void> write_changes(sdk::Transaction& transaction, CollectionId collection,
                                    const CollectionRules& rules, const IndexState& state,
                                    std::string_view sequence, const View& before,
                                    const View& after);
    sdk::Result<void> drop_entries_of(sdk::Transaction& transaction, CollectionId collection,
                                      const std::vector<std::string>& fields);

    sdk::Result<void> check_platform(const sdk::Reader& reader, std::uint64_t platform,
                                     const OpenSpace& open_space,
                                     std::vector<std::string>& differences);
    sdk::Result<void> check_collection(const sdk::Reader& reader, CollectionId collection,
                                       const OpenSpace& open_space,
                                       std::vector<std::string>& differences);

    sdk::Engine& engine_;
    NameTable& names_;
    class CollectionCache;
    std::unique_ptr<CollectionCache> collections_;
    std::unique_ptr<IndexStates> states_;
    std::unique_ptr<CompositeBuilder> builder_;
    std::unique_ptr<CompositeAdvisor> advisor_;
};

}  // namespace stele::kernel::storage
