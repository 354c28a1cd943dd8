#include "snapshot_reader.hpp"

#include "scan_cursor.hpp"

namespace stele::storage_postgres {

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
    if (!view_) return view_.error();
    const auto version = static_cast<std::int64_t>((*view_)->version);
    const auto rows = read(Statement::read, Parameters().bytes(key).integer(version));
    if (!rows) return rows.error();
    if (rows->is_null(0, 1)) return false;
    value.assign(rows->bytes(0, 1));
    return true;
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
