#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/record_space.hpp>

#include "collection_keys.hpp"
#include "layered_cursor.hpp"
#include "line_writer.hpp"
#include "version_space.hpp"

namespace stele::nodes {

/// What a view shows of a collection, under the keys that the kernel uses; others are read in the
/// store, which outlives the reader. Records are complete (`complete_record`), but for those that
/// the store, a transaction, has not committed.
class CollectionReader : public sdk::Reader {
public:
    CollectionReader(const sdk::Reader& store, VersionSpace space, View view,
                     sdk::SpaceCollection collection, char slot)
        : store_(store),
          space_(std::move(space)),
          view_(store, space_, std::move(view)),
          keys_(std::move(collection), slot) {}
    CollectionReader(const CollectionReader&) = delete;
    CollectionReader& operator=(const CollectionReader&) = delete;

    const View& view() const { return view_.view(); }

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;
    sdk::Result<std::uint64_t> count(const sdk::KeyRange& range,
                                     const std::function<sdk::Result<void>()>& step) const override;
    bool is_distant() const override { return store_.is_distant(); }
    /// Of what shows, keys of records alone.
    void expect(const std::vector<sdk::KeyRange>& ranges) const override;

private:
    sdk::Result<bool> read_record(std::string_view versioned_key, std::string& record) const;

    const sdk::Reader& store_;
    const VersionSpace space_;
    const ViewReader view_;
    const CollectionKeys keys_;
};

/// The same at the tip of the line that a changeset is written to. Collections of a line share its
/// writer, which outlives this like the store does; what belongs to no collection goes there.
class CollectionWriter final : public sdk::Transaction {
public:
    CollectionWriter(sdk::Transaction& store, LineWriter& line, sdk::SpaceCollection collection,
                     char slot)
        : store_(store), line_(line), keys_(std::move(collection), slot) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;

    bool is_distant() const override { return store_.is_distant(); }
    /// Of what shows, single keys alone.
    void expect(const std::vector<sdk::KeyRange>& ranges) const override;
    void expect_writes(const std::vector<std::string>& keys) override;

    void put(std::string_view key, std::string_view value) override;
    void remove(std::string_view key) override;
    void remove_range(sdk::KeyRange range) override;
    void add(std::string_view key, std::int64_t delta) override;
    sdk::Result<void> add_within(std::string_view key, std::int64_t delta,
                                 std::int64_t most) override;
    /// For keys of the store only.
    void put_stamped(std::string_view counter, const sdk::StampedPut& put) override {
        store_.put_stamped(counter, put);
    }
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return store_.stamp(counter);
    }
    bool has_writes() const override { return store_.has_writes(); }
    /// Not for a writer: whoever began the transaction below commits it.
    void commit(Done done) override { line_.commit(std::move(done)); }

private:
    sdk::Transaction& store_;
    LineWriter& line_;
    const CollectionKeys keys_;
    /// For one versioned key at a time: a record has dozens of entries.
    mutable std::string key_;
};

}  // namespace stele::nodes
