#include "kernel/storage/document/document_store.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store_catalogue.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"
#include "kernel/storage/index/composite_index.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/query/planned_run.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kUsualRecordBytes = 2000;

sdk::Result<bool> read_at(const sdk::Reader& reader, CollectionId collection,
                          std::string_view sequence, Record& record) {
    // With the padding nearly every record fits, and none is copied for it.
    record.buffer().reserve(kUsualRecordBytes);
    const auto found = reader.get_into(record_path(collection, sequence), record.buffer());
    if (!found) return found.error();
    if (!*found) return false;
    if (!record.decode()) return broken_record(collection, sequence);
    record.collection = collection;
    record.sequence.assign(sequence);
    return true;
}

}  // namespace

DocumentStore::DocumentStore(sdk::Engine& engine, NameTable& names)
    : engine_(engine),
      names_(names),
      collections_(std::make_unique<CollectionCache>()),
      states_(std::make_unique<IndexStates>()),
      builder_(std::make_unique<CompositeBuilder>(engine, *states_)),
      advisor_(std::make_unique<CompositeAdvisor>(*builder_)) {}

DocumentStore::~DocumentStore() = default;

sdk::Result<bool> DocumentStore::read(const sdk::Reader& reader, CollectionId collection,
                                      std::string_view id, Record& record) {
    Sequence sequence;
    if (parse_sequence(id, sequence)) {
        const auto found = read_at(reader, collection, sequence, record);
        if (!found || *found) return found;
    }
    thread_local std::string target;
    const auto named = reader.get_into(alias_key(collection, id), target);
    if (!named) return named.error();
    if (!*named) return false;
    return read_at(reader, collection, AliasTarget::decode(target).sequence, record);
}

sdk::Result<bool> DocumentStore::read_unique(const sdk::Reader& reader, CollectionId collection,
                                             std::string_view field, std::string_view value,
                                             Record& record) {
    const auto number = names_.find(reader, field);
    if (!number) return number.error();
    if (!*number) return false;
    const auto sequence = reader.get(unique_key(collection, **number, value));
    if (!sequence) return sequence.error();
    if (!*sequence) return false;
    return read_at(reader, collection, **sequence, record);
}

sdk::Result<bool> DocumentStore::read(const sdk::Reader& reader, std::string_view record_key,
                                      Record& record) {
    CollectionId collection;
    std::string_view sequence;
    if (!split_record_key(record_key, collection, sequence)) return false;
    return read_at(reader, collection, sequence, record);
}

sdk::Result<void> DocumentStore::set_alias(sdk::Transaction& transaction, CollectionId collection,
                                           std::string_view alias, std::string_view sequence) {
    const std::string key = alias_key(collection, alias);
    const auto present = transaction.get(key);
    if (!present) return present.error();
    if (*present) {
        const AliasTarget target = AliasTarget::decode(**present);
        if (target.sequence == sequence) return {};
        if (target.is_custom_id) {
            return sdk::make_error(sdk::ErrorKind::conflict, "document.id_taken",
                                   "The name '" + std::string(alias) + "' is a record's id.");
        }
        transaction.remove(alias_of_key(collection, target.sequence, alias));
    }
    transaction.put(key, AliasTarget{Sequence(sequence), false}.encode());
    transaction.put(alias_of_key(collection, sequence, alias), {});
    return {};
}

sdk::Result<void> DocumentStore::remove_alias(sdk::Transaction& transaction,
                                              CollectionId collection, std::string_view alias,
                                              std::string_view sequence) {
    const std::string key = alias_key(collection, alias);
    const auto present = transaction.get(key);
    if (!present) return present.error();
    if (!*present) return {};
    const AliasTarget target = AliasTarget::decode(**present);
    if (target.is_custom_id || target.sequence != sequence) return {};
    transaction.remove(key);
    transaction.remove(alias_of_key(collection, sequence, alias));
    return {};
}

sdk::Result<std::uint64_t> DocumentStore::count(const sdk::Reader& reader,
                                                CollectionId collection) {
    const auto stored = reader.get(record_counter(collection));
    if (!stored) return stored.error();
    return static_cast<std::uint64_t>(sdk::read_counter(*stored));
}

sdk::Result<std::unique_ptr<QueryRun>> DocumentStore::query(
    const sdk::Reader& reader, CollectionId collection, const CollectionRules& rules, Query query,
    const sdk::PageRequest& page, Visibility visibility, bool numeric_sort) {
    auto state = state_of(reader, collection, rules);
    if (!state) return state.error();
    return PlannedRun::start(
        {reader, collection, std::move(query), page, std::move(visibility), numeric_sort}, names_,
        rules, std::move(*state), *advisor_, *builder_);
}

sdk::Result<std::shared_ptr<const IndexState>> DocumentStore::state_of(
    const sdk::Reader& reader, CollectionId collection, const CollectionRules& rules) {
    return rules.is_in_space ? states_->in_space(reader, collection, rules.unindexed_fields)
                             : states_->of(reader, collection);
}

void DocumentStore::finish_index_builds() {
    builder_->wait();
}

}  // namespace stele::kernel::storage
