#include "kernel/storage/backends/leveldb/snapshot_reader.hpp"

#include <leveldb/iterator.h>

#include "kernel/storage/backends/leveldb/slice.hpp"
#include "kernel/storage/backends/leveldb/store_error.hpp"
#include "kernel/storage/backends/leveldb/table_env.hpp"

namespace stele::kernel::storage {

namespace {

std::string_view view(const leveldb::Slice& slice) {
    return {slice.data(), slice.size()};
}

/// An iterator keeps the buffers and the tables of the moment when it was made, in memory and on
/// the disk, whatever has become of them; so who walks for long gets another one now and then.
constexpr std::size_t kStepsOfIterator = 4096;

class SnapshotCursor final : public sdk::Cursor {
public:
    SnapshotCursor(const Snapshot& snapshot, sdk::KeyRange range, sdk::ScanDirection direction)
        : snapshot_(snapshot),
          range_(std::move(range)),
          is_forward_(direction == sdk::ScanDirection::forward),
          iterator_(make_iterator()) {
        if (is_forward_) {
            iterator_->Seek(range_.begin);
        } else {
            seek_below_end();
        }
        settle();
    }

    bool is_valid() const override { return is_valid_; }
    std::string_view key() const override { return view(iterator_->key()); }
    std::string_view value() const override { return view(iterator_->value()); }

    void next() override {
        if (++steps_ % kStepsOfIterator == 0 && !renew()) return;
        if (is_forward_) {
            iterator_->Next();
        } else {
            iterator_->Prev();
        }
        settle();
    }

    void seek(std::string_view key) override {
        if (is_forward_) {
            iterator_->Seek(slice(std::max(key, std::string_view(range_.begin))));
        } else if (!range_.end.empty() && key >= range_.end) {
            seek_below_end();
        } else {
            iterator_->Seek(slice(key));
            if (!iterator_->Valid()) {
                iterator_->SeekToLast();
            } else if (view(iterator_->key()) > key) {
                iterator_->Prev();
            }
        }
        settle();
    }

    sdk::Result<void> status() const override {
        const leveldb::Status status = iterator_->status();
        if (!status.ok()) return read_error(status, snapshot_.damage());
        return {};
    }

private:
    std::unique_ptr<leveldb::Iterator> make_iterator() const {
        return std::unique_ptr<leveldb::Iterator>(
            snapshot_.database().NewIterator(scan_options(snapshot_, range_)));
    }

    /// At the same entry: the snapshot still has it, or the store cannot be read.
    bool renew() {
        const std::string here(key());
        iterator_.reset();
        iterator_ = make_iterator();
        iterator_->Seek(here);
        settle();
        return is_valid_;
    }

    void seek_below_end() {
        if (!range_.end.empty()) iterator_->Seek(range_.end);
        if (!range_.end.empty() && iterator_->Valid()) {
            iterator_->Prev();
        } else {
            iterator_->SeekToLast();
        }
    }

    void settle() {
        is_valid_ = iterator_->Valid();
        if (!is_valid_) return;
        // LevelDB steps over a block that it cannot read, and tells only who asks.
        if (const std::uint64_t reads = TableEnv::reads_of_thread(); reads != reads_) {
            reads_ = reads;
            is_valid_ = iterator_->status().ok();
            if (!is_valid_) return;
        }
        const std::string_view key = view(iterator_->key());
        is_valid_ = is_forward_ ? range_.end.empty() || key < range_.end : key >= range_.begin;
    }

    /// Who walks the whole store leaves the cache to the others.
    static leveldb::ReadOptions scan_options(const Snapshot& snapshot, const sdk::KeyRange& range) {
        leveldb::ReadOptions options = snapshot.read_options();
        options.fill_cache = !range.begin.empty() || !range.end.empty();
        return options;
    }

    const Snapshot& snapshot_;
    sdk::KeyRange range_;
    bool is_forward_;
    bool is_valid_ = false;
    std::uint64_t reads_ = 0;
    std::size_t steps_ = 0;
    std::unique_ptr<leveldb::Iterator> iterator_;
};

}  // namespace

sdk::Result<bool> read_key(const Snapshot& snapshot, std::string_view key, std::string& value) {
    if (const auto is_present = snapshot.rows().find(key, snapshot.version(), value))
        return *is_present;
    const leveldb::Status status =
        snapshot.database().Get(snapshot.read_options(), slice(key), &value);
    if (!status.ok() && !status.IsNotFound()) return read_error(status, snapshot.damage());
    snapshot.rows().keep(key, snapshot.version(),
                         status.ok() ? std::optional<std::string_view>(value) : std::nullopt);
    return status.ok();
}

std::unique_ptr<sdk::Cursor> scan_snapshot(const Snapshot& snapshot, sdk::KeyRange range,
                                           sdk::ScanDirection direction) {
    return std::make_unique<SnapshotCursor>(snapshot, std::move(range), direction);
}

sdk::Result<std::optional<std::string>> SnapshotReader::get(std::string_view key) const {
    std::string value;
    const auto found = read_key(*snapshot_, key, value);
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

sdk::Result<bool> SnapshotReader::get_into(std::string_view key, std::string& value) const {
    return read_key(*snapshot_, key, value);
}

std::unique_ptr<sdk::Cursor> SnapshotReader::scan(sdk::KeyRange range,
                                                  sdk::ScanDirection direction) const {
    return scan_snapshot(*snapshot_, std::move(range), direction);
}

}  // namespace stele::kernel::storage
