#include <algorithm>
#include <memory>
#include <optional>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/time.hpp>

#include "branch/branch_store.hpp"

namespace stele::nodes {

namespace {

/// After so long nobody writes to a line any more: each piece renews it. A load of this process is
/// known while it lives, and may rest for longer: while another branch or a large attachment comes.
constexpr std::int64_t kForgottenMs = 15 * 60 * 1000;
constexpr std::size_t kCollectedAtOnce = 2000;

std::string repository_reservations(const BranchPlace& place) {
    return sdk::KeyWriter(sdk::plugin_key_space(place.platform, kLoadSpace))
        .integer(place.repository)
        .key();
}

std::string reservation_row(const BranchPlace& place) {
    std::string row = repository_reservations(place);
    append_number(row, place.line);
    return row;
}

std::string collection_row(const BranchPlace& place) {
    return reservation_row(place) + 'c';
}

struct Reservation {
    std::int64_t renewed_ms = 0;

    bool is_forgotten(std::int64_t now_ms) const { return now_ms - renewed_ms >= kForgottenMs; }
    std::string value() const {
        std::string bytes;
        append_number(bytes, static_cast<std::uint64_t>(renewed_ms));
        return bytes;
    }
    static std::optional<Reservation> read(std::string_view bytes) {
        if (bytes.size() != kNumberBytes) return std::nullopt;
        return Reservation{static_cast<std::int64_t>(read_number(bytes))};
    }
};

/// Nothing where there is none, and of one that cannot be read.
sdk::Result<std::optional<Reservation>> find_reservation(const sdk::Reader& reader,
                                                         const BranchPlace& place) {
    auto row = reader.get(reservation_row(place));
    if (!row) return row.error();
    return *row ? Reservation::read(**row) : std::nullopt;
}

/// What begins behind a revision of a line's changesets.
sdk::KeyRange later_changes(const VersionSpace& space, const Link& link) {
    const std::string changes = space.changes(link.line);
    std::string later = changes;
    append_number(later, link.bound + 1);
    return {later, sdk::prefix_end(changes)};
}

/// Removes rows from a range behind a key, which moves on; true when none is left.
sdk::Result<bool> remove_some(sdk::Transaction& transaction, const std::string& prefix,
                              std::string& behind, std::size_t& left,
                              const std::function<void(std::string_view)>& also) {
    std::vector<std::string> keys;
    {
        const auto cursor = transaction.scan({std::max(prefix, behind), sdk::prefix_end(prefix)},
                                             sdk::ScanDirection::forward);
        for (; cursor->is_valid() && keys.size() < left; cursor->next())
            keys.emplace_back(cursor->key());
        if (auto status = cursor->status(); !status) return status.error();
    }
    for (const std::string& key : keys) {
        also(std::string_view(key).substr(prefix.size()));
        transaction.remove(key);
    }
    if (!keys.empty()) behind = keys.back();
    left -= keys.size();
    return left > 0;
}

}  // namespace

void BranchStore::reserve_line(sdk::Transaction& transaction, const BranchPlace& place) const {
    transaction.put(reservation_row(place), Reservation{sdk::now_ms()}.value());
}

sdk::Result<bool> BranchStore::is_reserved(const sdk::Reader& reader,
                                           const BranchPlace& place) const {
    auto row = reader.get(reservation_row(place));
    if (!row) return row.error();
    return row->has_value();
}

sdk::Result<BranchStore::ReservedLine> BranchStore::reserved_line(const sdk::Reader& base,
                                                                  const BranchPlace& above,
                                                                  Line line) const {
    ReservedLine reserved{above, {above.line}};
    reserved.place.line = line;
    auto shown = view(base, above);
    if (!shown) return shown.error();
    reserved.from.bound = shown->newest;
    return reserved;
}

sdk::Result<bool> BranchStore::is_overtaken(const sdk::Reader& reader,
                                            const ReservedLine& line) const {
    const auto cursor =
        reader.scan(later_changes(space(line.place), line.from), sdk::ScanDirection::forward);
    if (auto status = cursor->status(); !status) return status.error();
    return cursor->is_valid();
}

sdk::Result<bool> BranchStore::leads_elsewhere(const sdk::Reader& reader,
                                               const sdk::RecordKey& branch,
                                               const ReservedLine& line) const {
    auto place = find(reader, branch);
    if (!place && sdk::is_missing(place.error())) return true;
    if (!place) return place.error();
    return place->line != line.from.line || place->repository != line.place.repository;
}

sdk::Result<bool> BranchStore::renew_line(sdk::Transaction& transaction,
                                          const BranchPlace& place) const {
    auto collected = transaction.get(collection_row(place));
    if (!collected) return collected.error();
    auto reservation = find_reservation(transaction, place);
    if (!reservation) return reservation.error();
    if (*collected || !*reservation) return false;
    (*reservation)->renewed_ms = sdk::now_ms();
    transaction.put(reservation_row(place), (*reservation)->value());
    return true;
}

void BranchStore::give_up_line(sdk::Engine& engine, const BranchPlace& place) const {
    const std::shared_ptr<sdk::Transaction> transaction = engine.begin();
    auto reservation = find_reservation(*transaction, place);
    // Whatever is in the way of it, the time that passes says the same.
    if (!reservation || !*reservation) return;
    (*reservation)->renewed_ms = 0;
    transaction->put(reservation_row(place), (*reservation)->value());
    transaction->commit([transaction](const sdk::Result<void>&) {});
}

sdk::Result<std::vector<Line>> BranchStore::given_up_lines(const sdk::Reader& reader,
                                                           const BranchPlace& place) const {
    std::vector<Line> lines;
    const std::string rows = repository_reservations(place);
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const auto reservation = Reservation::read(cursor->value());
        if (reservation && reservation->renewed_ms == 0)
            lines.push_back(read_number(cursor->key().substr(rows.size())));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return lines;
}

sdk::Result<void> BranchStore::show_line(sdk::Transaction& transaction, const sdk::Reader& base,
                                         const sdk::RecordKey& branch,
                                         const ReservedLine& line) const {
    const VersionSpace own = space(line.place);
    auto made = put_line(transaction, base, own, line.place.line, line.from);
    if (!made) return made;
    transaction.put(own.line(line.place.line), loaded_line_row(line.from));
    if (auto noted = transaction.note_scan(later_changes(own, line.from)); !noted) return noted;
    if (auto noted = transaction.note_get(collection_row(line.place)); !noted) return noted;
    transaction.remove(reservation_row(line.place));
    put_place(transaction, branch, line.place);
    return {};
}

sdk::Result<void> BranchStore::hide_line(sdk::Transaction& transaction,
                                         const sdk::RecordKey& branch,
                                         const ReservedLine& line) const {
    BranchPlace former = line.place;
    former.line = line.from.line;
    put_place(transaction, branch, former);
    std::string owner = line_rows(line.place);
    append_number(owner, line.place.line);
    transaction.remove(owner);
    const VersionSpace own = space(line.place);
    transaction.remove(own.line(line.place.line));
    // As many as the branch has, which depends on its fields and not on its nodes.
    transaction.remove_range(
        {own.count(line.place.line), sdk::prefix_end(own.count(line.place.line))});
    return {};
}

sdk::Result<BranchStore::Collected> BranchStore::collect_line(sdk::Transaction& transaction,
                                                              const BranchPlace& place,
                                                              std::int64_t now_ms,
                                                              CollectedTo& to) const {
    auto reservation = find_reservation(transaction, place);
    if (!reservation) return reservation.error();
    // It was shown, or is collected.
    if (!*reservation) return Collected::wholly;
    const VersionSpace own = space(place);
    const bool is_written = own.cache().is_loading(own.line(place.line));
    if (is_written || !(*reservation)->is_forgotten(now_ms)) return Collected::not_yet;
    transaction.put(collection_row(place), {});
    std::size_t left = kCollectedAtOnce;
    // What was written tells where the versions are, so it goes with them.
    const auto remove_version = [&](std::string_view rest) {
        if (rest.size() <= kNumberBytes) return;
        transaction.remove(own.record(rest.substr(kNumberBytes), place.line, read_number(rest)));
    };
    auto done = remove_some(transaction, own.written(place.line), to.written, left, remove_version);
    if (done && *done) {
        done = remove_some(transaction, own.present(place.line), to.present, left,
                           [](std::string_view) {});
    }
    if (done && *done) {
        done = remove_some(transaction, own.binaries(place.line), to.binaries, left,
                           [](std::string_view) {});
    }
    if (!done) return done.error();
    if (!*done) return Collected::in_part;
    transaction.remove(reservation_row(place));
    transaction.remove(collection_row(place));
    return Collected::wholly;
}

}  // namespace stele::nodes
