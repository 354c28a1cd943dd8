#include "line_load.hpp"

#include <utility>

#include <stele/sdk/movable_snapshot.hpp>

namespace stele::nodes {

namespace {

/// What the keys of one kind of all lines begin with.
std::string of_all_lines(std::string of_line) {
    of_line.resize(of_line.size() - kNumberBytes);
    return of_line;
}

/// An unchecked one; null where the engine has none.
std::unique_ptr<sdk::Transaction> begin_unchecked(sdk::Engine& engine) {
    auto transaction = engine.begin();
    auto* const unchecked = dynamic_cast<sdk::UncheckedWrites*>(transaction.get());
    if (unchecked == nullptr) return nullptr;
    unchecked->set_unchecked();
    return transaction;
}

}  // namespace

bool LineLoad::is_possible(sdk::Engine& engine) {
    return begin_unchecked(engine) != nullptr;
}

LineLoad::LineLoad(sdk::Transaction& below, sdk::Engine& engine, VersionSpace space, Line line,
                   std::unique_ptr<sdk::Reader> base, Revision newest, Hooks hooks)
    : below_(below),
      engine_(engine),
      space_(std::move(space)),
      line_(line),
      base_(std::move(base)),
      hooks_(std::move(hooks)),
      present_(space_.present(line)),
      written_(space_.written(line)),
      versions_(space_.record({})),
      presents_(of_all_lines(present_)),
      pasts_(of_all_lines(space_.past(line, 0, 0).substr(0, present_.size()))),
      kinds_(of_all_lines(space_.kind(line, {}))),
      own_kinds_(space_.kind(line, {})) {
    begin_piece();
    space_.cache().add_load(below_, space_.line(line_), {this, newest});
}

LineLoad::~LineLoad() {
    space_.cache().remove_load(below_, space_.line(line_));
    hooks_.at_end();
}

void LineLoad::begin_piece() {
    piece_ = begin_unchecked(engine_);
    waiting_ = 0;
}

sdk::Result<void> LineLoad::commit_piece() {
    if (waiting_ == 0) return {};
    if (auto may = hooks_.before_piece(); !may) return may;
    auto committed = sdk::commit_and_wait(*piece_);
    begin_piece();
    // Others may commit more meanwhile than an engine keeps in mind.
    sdk::move_on(below_);
    return committed;
}

bool LineLoad::is_loaded(std::string_view key) const {
    if (key.starts_with(present_) || key.starts_with(written_)) return true;
    constexpr std::size_t kEnd = 2 * kNumberBytes;
    if (!key.starts_with(versions_) || key.size() < versions_.size() + kEnd) return false;
    return ~read_number(key.substr(key.size() - kEnd)) == line_;
}

const sdk::Reader& LineLoad::reader_of(std::string_view key) const {
    // Of a version the line stands behind the record, so all of them are read in one place; what
    // views show of other lines is in it as in the others.
    const bool is_own = key.starts_with(present_) || key.starts_with(written_);
    if (is_own || key.starts_with(versions_)) return *piece_;
    const bool is_of_kind = key.starts_with(kinds_) && !key.starts_with(own_kinds_);
    if (is_of_kind || key.starts_with(presents_) || key.starts_with(pasts_)) return *base_;
    return below_;
}

sdk::Result<std::optional<std::string>> LineLoad::get(std::string_view key) const {
    return reader_of(key).get(key);
}

sdk::Result<bool> LineLoad::get_into(std::string_view key, std::string& value) const {
    return reader_of(key).get_into(key, value);
}

sdk::Result<std::optional<std::string>> LineLoad::peek(std::string_view key) const {
    return reader_of(key).peek(key);
}

std::unique_ptr<sdk::Cursor> LineLoad::scan(sdk::KeyRange range,
                                            sdk::ScanDirection direction) const {
    const sdk::Reader& reader = reader_of(range.begin);
    return reader.scan(std::move(range), direction);
}

sdk::Result<void> LineLoad::note_get(std::string_view key) const {
    return &reader_of(key) == &below_ ? below_.note_get(key) : sdk::Result<void>();
}

sdk::Result<void> LineLoad::note_scan(sdk::KeyRange range) const {
    if (&reader_of(range.begin) != &below_) return {};
    return below_.note_scan(std::move(range));
}

void LineLoad::put(std::string_view key, std::string_view value) {
    if (!is_loaded(key)) return below_.put(key, value);
    has_loaded_ = true;
    waiting_ += key.size() + value.size() + kRowBytes;
    piece_->put(key, value);
}

void LineLoad::remove(std::string_view key) {
    if (!is_loaded(key)) return below_.remove(key);
    has_loaded_ = true;
    waiting_ += key.size() + kRowBytes;
    piece_->remove(key);
}

void LineLoad::commit(Done done) {
    done(sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_commit_misplaced",
                         "a load is committed with its transaction"));
}

}  // namespace stele::nodes
