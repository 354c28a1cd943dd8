#include "collection_reader.hpp"

#include <memory>
#include <utility>

#include <stele/sdk/key_tuple.hpp>

#include "list_cursor.hpp"
#include "stored_record.hpp"

namespace stele::nodes {

namespace {

sdk::Error record_broken() {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_record_broken",
                           "a record of a branch cannot be read");
}

/// The record of a versioned key, complete when it was committed.
sdk::Result<bool> read_record(const ViewReader& view, std::string_view versioned_key,
                              std::string& record) {
    auto version = view.find_version(versioned_key, record);
    if (!version) return version.error();
    if (!*version) return false;
    const Revision revision = (*version)->revision;
    if (revision <= view.view().newest && !complete_record(record, revision))
        return record_broken();
    return true;
}

sdk::Result<std::optional<std::string>> as_optional(sdk::Result<bool> found, std::string value) {
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

/// Walks versioned keys of one tag and gives them back as the kernel knows them.
class CollectionCursor final : public sdk::Cursor {
public:
    CollectionCursor(const ViewReader& view, CollectionKeys::Range range,
                     sdk::ScanDirection direction)
        : view_(view),
          range_(std::move(range)),
          is_record_(keeping_of(range_.prefix) == Keeping::record),
          cursor_(view.scan(range_.versioned, direction)) {
        settle();
    }

    bool is_valid() const override { return cursor_->is_valid(); }
    std::string_view key() const override { return key_; }
    std::string_view value() const override {
        if (!is_record_) return cursor_->value();
        if (!is_read_) {
            is_read_ = true;
            auto found = read_record(view_, cursor_->key(), record_);
            if (!found) {
                failure_ = found.error();
            } else if (!*found) {
                failure_ = record_broken();
            }
            if (!failure_) record_.clear();
        }
        return record_;
    }
    void next() override {
        cursor_->next();
        settle();
    }
    void seek(std::string_view key) override {
        cursor_->seek(range_.versioned_place(key));
        settle();
    }
    sdk::Result<void> status() const override { return failure_ ? cursor_->status() : failure_; }

private:
    void settle() {
        is_read_ = false;
        if (cursor_->is_valid()) range_.write_key(cursor_->key(), key_);
    }

    const ViewReader& view_;
    const CollectionKeys::Range range_;
    const bool is_record_;
    const std::unique_ptr<sdk::Cursor> cursor_;
    std::string key_;
    mutable std::string record_;  // read when it is asked for
    mutable bool is_read_ = false;
    mutable sdk::Result<void> failure_;
};

std::unique_ptr<sdk::Cursor> scan_collection(const sdk::Reader& store, const ViewReader& view,
                                             const CollectionKeys& keys, sdk::KeyRange range,
                                             sdk::ScanDirection direction) {
    auto versioned = keys.versioned(range);
    if (!versioned) return std::make_unique<ListCursor>(versioned.error());
    if (!*versioned) return store.scan(std::move(range), direction);
    return std::make_unique<CollectionCursor>(view, **std::move(versioned), direction);
}

}  // namespace

sdk::Result<std::optional<std::string>> CollectionReader::get(std::string_view key) const {
    std::string value;
    auto found = get_into(key, value);
    return as_optional(std::move(found), std::move(value));
}

sdk::Result<bool> CollectionReader::get_into(std::string_view key, std::string& value) const {
    std::string versioned_key;
    auto is_versioned = keys_.versioned(key, versioned_key);
    if (!is_versioned) return is_versioned.error();
    if (!*is_versioned) return store_.get_into(key, value);
    if (keeping_of(versioned_key) == Keeping::record) return read_record(versioned_key, value);
    return view_.get_into(versioned_key, value);
}

sdk::Result<std::optional<std::string>> CollectionReader::peek(std::string_view key) const {
    std::string versioned_key;
    auto is_versioned = keys_.versioned(key, versioned_key);
    if (!is_versioned) return is_versioned.error();
    if (!*is_versioned) return store_.peek(key);
    if (keeping_of(versioned_key) == Keeping::record) return get(key);
    return view_.peek(versioned_key);
}

/// Whoever pages through a list asks for the same total each time; it is remembered as long as
/// nothing is committed to the repository.
sdk::Result<std::uint64_t> CollectionReader::count(
    const sdk::KeyRange& range, const std::function<sdk::Result<void>()>& step) const {
    const Link& nearest = view_.view().links.front();
    auto keys = keys_.versioned(range);
    if (!keys) return keys.error();
    if (!*keys || !nearest.is_tip() || !shows_only_commits(store_))
        return sdk::Reader::count(range, step);
    const sdk::KeyRange& versioned = (*keys)->versioned;
    const std::string present = space_.present(nearest.line);
    const Revision newest = view_.view().newest;
    auto name = sdk::KeyWriter(present).text(versioned.begin).raw(versioned.end).key();
    if (const auto known = space_.cache().range_sizes().find(name, newest)) {
        const std::string end =
            versioned.end.empty() ? sdk::prefix_end(present) : present + versioned.end;
        auto noted = store_.note_scan({present + versioned.begin, end});
        if (!noted) return noted.error();
        return *known;
    }
    auto entries = sdk::Reader::count(range, step);
    if (!entries) return entries;
    space_.cache().range_sizes().keep(std::move(name), newest,
                                      std::make_shared<const std::uint64_t>(*entries),
                                      sizeof(std::uint64_t));
    return entries;
}

/// Looking a record up takes a scan, so it is remembered for as long as nothing is committed to the
/// repository.
sdk::Result<bool> CollectionReader::read_record(std::string_view versioned_key,
                                                std::string& record) const {
    const Link& nearest = view_.view().links.front();
    if (!nearest.is_tip() || !shows_only_commits(store_))
        return nodes::read_record(view_, versioned_key, record);
    std::string begin = space_.record(versioned_key, nearest.line, nearest.bound);
    const Revision newest = view_.view().newest;
    if (const auto known = space_.cache().records().find(begin, newest)) {
        auto noted = store_.note_scan({std::move(begin), known->end});
        if (!noted) return noted.error();
        record = known->bytes;
        return true;
    }
    auto version = view_.find_version(versioned_key, record);
    if (!version) return version.error();
    if (!*version) return false;
    if (!complete_record(record, (*version)->revision)) return record_broken();
    std::string end = space_.record(versioned_key, (*version)->line, (*version)->in_row);
    end.push_back('\0');
    space_.cache().records().keep(
        std::move(begin), newest,
        std::make_shared<const KnownRecord>(KnownRecord{record, std::move(end)}), record.size());
    return true;
}

std::unique_ptr<sdk::Cursor> CollectionReader::scan(sdk::KeyRange range,
                                                    sdk::ScanDirection direction) const {
    return scan_collection(store_, view_, keys_, std::move(range), direction);
}

void CollectionReader::expect(const std::vector<sdk::KeyRange>& ranges) const {
    std::vector<sdk::KeyRange> below;
    std::string key;
    for (const sdk::KeyRange& range : ranges) {
        auto is_versioned = keys_.versioned(range.begin, key);
        // Whoever reads it is told.
        if (!is_versioned) continue;
        if (!*is_versioned) {
            below.push_back(range);
        } else if (keeping_of(key) == Keeping::record) {
            below.push_back(view_.versions(key));
        }
    }
    store_.expect(below);
}

sdk::Result<std::optional<std::string>> CollectionWriter::get(std::string_view key) const {
    std::string value;
    auto found = get_into(key, value);
    return as_optional(std::move(found), std::move(value));
}

sdk::Result<bool> CollectionWriter::get_into(std::string_view key, std::string& value) const {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return is_versioned.error();
    if (!*is_versioned) return store_.get_into(key, value);
    if (keeping_of(key_) != Keeping::record) return line_.reader().get_into(key_, value);
    // Two scans would be half of what a new record costs.
    auto shows = line_.reader().contains(key_);
    if (!shows) return shows;
    if (*shows) return read_record(line_.reader(), key_, value);
    if (auto noted = line_.note_absent(key_); !noted) return noted.error();
    return false;
}

sdk::Result<std::optional<std::string>> CollectionWriter::peek(std::string_view key) const {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return is_versioned.error();
    if (!*is_versioned) return store_.peek(key);
    if (keeping_of(key_) == Keeping::record) return get(key);
    return line_.peek(key_);
}

std::unique_ptr<sdk::Cursor> CollectionWriter::scan(sdk::KeyRange range,
                                                    sdk::ScanDirection direction) const {
    return scan_collection(store_, line_.reader(), keys_, std::move(range), direction);
}

void CollectionWriter::expect(const std::vector<sdk::KeyRange>& ranges) const {
    std::vector<sdk::KeyRange> below;
    for (const sdk::KeyRange& range : ranges) {
        auto is_versioned = keys_.versioned(range.begin, key_);
        // Whoever reads it is told.
        if (!is_versioned) continue;
        below.push_back(*is_versioned ? line_.present(key_) : range);
    }
    store_.expect(below);
}

void CollectionWriter::expect_writes(const std::vector<std::string>& keys) {
    std::vector<std::string> versioned;
    for (const std::string& key : keys) {
        auto is_versioned = keys_.versioned(key, key_);
        // Whoever writes it is told of a failure.
        if (is_versioned && *is_versioned) versioned.push_back(key_);
    }
    line_.expect_writes(versioned);
}

void CollectionWriter::put(std::string_view key, std::string_view value) {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return line_.note(is_versioned.error());
    if (!*is_versioned) return store_.put(key, value);
    line_.put(key_, value);
}

void CollectionWriter::remove(std::string_view key) {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return line_.note(is_versioned.error());
    if (!*is_versioned) return store_.remove(key);
    line_.remove(key_);
}

void CollectionWriter::remove_range(sdk::KeyRange range) {
    auto versioned = keys_.versioned(range);
    if (!versioned) return line_.note(versioned.error());
    if (!*versioned) return store_.remove_range(std::move(range));
    line_.remove_range((*versioned)->versioned);
}

void CollectionWriter::add(std::string_view key, std::int64_t delta) {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return line_.note(is_versioned.error());
    if (!*is_versioned) return store_.add(key, delta);
    line_.add(key_, delta);
}

sdk::Result<void> CollectionWriter::add_within(std::string_view key, std::int64_t delta,
                                               std::int64_t most) {
    auto is_versioned = keys_.versioned(key, key_);
    if (!is_versioned) return is_versioned.error();
    if (!*is_versioned) return store_.add_within(key, delta, most);
    return line_.add_within(key_, delta, most);
}

}  // namespace stele::nodes
