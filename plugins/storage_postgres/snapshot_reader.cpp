#include "snapshot_reader.hpp"

#include "scan_cursor.hpp"

namespace stele::storage_postgres {

namespace {

/// Of each range that is expected.
constexpr std::int64_t kExpectedRows = 4;
constexpr std::int64_t kExpectedBytes = 64 * 1024;

}  // namespace

sdk::Result<Rows> SnapshotReader::read(Statement statement, const Parameters& parameters) const {
    auto rows = pool_.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(statement, parameters, deadline);
    });
    if (!rows) return rows;
    if (rows->size() == 0) {
        return sdk::make_error(sdk::ErrorKind::internal, "storage_postgres.store_damaged",
                               "The store is damaged.", "stele_horizon is empty");
    }
    if (auto sound = feed_.status(); !sound) return sound.error();
    if (rows->number(0, 0) > (*view_)->version) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "storage_postgres.snapshot_lost",
                               "The state that was being read is no longer kept; try again.",
                               "this server was not heard of for too long");
    }
    return rows;
}

sdk::Result<bool> SnapshotReader::get_into(std::string_view key, std::string& value) const {
    if (auto sound = status(); !sound) return sound.error();
    if (const auto known = cache_.find(key, (*view_)->version, value)) return *known;
    const auto version = static_cast<std::int64_t>((*view_)->version);
    const auto rows = read(Statement::read, Parameters().bytes(key).integer(version));
    if (!rows) return rows.error();
    const bool is_there = !rows->is_null(0, 1);
    if (is_there) value.assign(rows->bytes(0, 1));
    feed_.remember(key, is_there ? std::optional<std::string_view>(value) : std::nullopt, *view_);
    return is_there;
}

struct SnapshotReader::Unknown {
    std::vector<std::string_view> keys;
    std::vector<const sdk::KeyRange*> ranges;
};

void SnapshotReader::expect(const std::vector<sdk::KeyRange>& ranges) const {
    if (!status()) return;
    Unknown unknown;
    for (const sdk::KeyRange& range : ranges) {
        const bool is_known = cache_
                                  .find_range({range.begin, upper_bound(range.end)},
                                              sdk::ScanDirection::forward, (*view_)->version, 1)
                                  .has_value();
        if (is_known) continue;
        if (range.end == just_above(range.begin)) {
            unknown.keys.push_back(range.begin);
        } else {
            unknown.ranges.push_back(&range);
        }
    }
    // A single key is as well looked for when it is read.
    if (unknown.keys.size() > 1 || !unknown.ranges.empty()) look_for(unknown);
}

/// In one round trip.
void SnapshotReader::look_for(const Unknown& unknown) const {
    const auto version = static_cast<std::int64_t>((*view_)->version);
    auto answers = pool_.run<std::vector<Rows>>([&](Connection& connection, Deadline deadline) {
        connection.send(Statement::read_many,
                        Parameters().bytes_array(unknown.keys).integer(version));
        for (const sdk::KeyRange* range : unknown.ranges) {
            const std::string end = upper_bound(range->end);
            connection.send(Statement::scan_forward, Parameters()
                                                         .bytes(range->begin)
                                                         .bytes(end)
                                                         .integer(version)
                                                         .integer(kExpectedRows)
                                                         .integer(kExpectedBytes));
        }
        return connection.finish(deadline);
    });
    if (!answers || !status()) return;
    const auto is_lost = [&](const Rows& rows) {
        return rows.size() == 0 || rows.number(0, 0) > (*view_)->version;
    };
    const Rows& found = answers->front();
    for (int row = 0; row < found.size() && !is_lost(found); ++row) {
        const std::string_view key = unknown.keys[found.number(row, 1) - 1];
        if (found.is_null(row, 2)) {
            feed_.remember(key, std::nullopt, *view_);
        } else {
            feed_.remember(key, found.bytes(row, 2), *view_);
        }
    }
    for (std::size_t i = 0; i < unknown.ranges.size(); ++i) {
        const Rows& rows = (*answers)[i + 1];
        if (is_lost(rows)) continue;
        std::vector<Entry> entries;
        const int size = rows.is_null(0, 1) ? 0 : rows.size();
        std::int64_t bytes = 0;
        for (int row = 0; row < size; ++row) {
            entries.push_back({std::string(rows.bytes(row, 1)), std::string(rows.bytes(row, 2))});
            bytes += static_cast<std::int64_t>(entries.back().value.size());
        }
        sdk::KeyRange covered{unknown.ranges[i]->begin, upper_bound(unknown.ranges[i]->end)};
        const bool is_all = size < kExpectedRows && bytes < kExpectedBytes;
        if (!is_all) covered.end = just_above(entries.back().key);
        feed_.remember(std::move(covered), std::move(entries), *view_);
    }
}

sdk::Result<void> SnapshotReader::status() const {
    if (!view_) return view_.error();
    return feed_.status();
}

std::optional<std::uint64_t> SnapshotReader::state() const {
    if (!status()) return std::nullopt;
    return (*view_)->version;
}

sdk::Result<std::optional<std::string>> SnapshotReader::get(std::string_view key) const {
    std::string value;
    const auto found = get_into(key, value);
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

std::unique_ptr<sdk::Cursor> SnapshotReader::scan(sdk::KeyRange range,
                                                  sdk::ScanDirection direction) const {
    return std::make_unique<ScanCursor>(*this, std::move(range), direction);
}

}  // namespace stele::storage_postgres
