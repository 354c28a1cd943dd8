#include "line_load.hpp"

#include <chrono>
#include <utility>

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

sdk::UncheckedWrites& unchecked(sdk::Transaction& transaction) {
    return dynamic_cast<sdk::UncheckedWrites&>(transaction);
}

/// Walks two readers that have no key in common.
class BothCursor final : public sdk::Cursor {
public:
    BothCursor(std::unique_ptr<sdk::Cursor> one, std::unique_ptr<sdk::Cursor> other,
               sdk::ScanDirection direction)
        : one_(std::move(one)),
          other_(std::move(other)),
          is_forward_(direction == sdk::ScanDirection::forward) {}

    bool is_valid() const override {
        return one_->status() && other_->status() && (one_->is_valid() || other_->is_valid());
    }
    std::string_view key() const override { return next_one().key(); }
    std::string_view value() const override { return next_one().value(); }
    void next() override { next_one().next(); }
    void seek(std::string_view key) override {
        one_->seek(key);
        other_->seek(key);
    }
    sdk::Result<void> status() const override {
        return one_->status() ? other_->status() : one_->status();
    }

private:
    sdk::Cursor& next_one() const {
        if (!one_->is_valid()) return *other_;
        if (!other_->is_valid()) return *one_;
        return (one_->key() < other_->key()) == is_forward_ ? *one_ : *other_;
    }

    const std::unique_ptr<sdk::Cursor> one_;
    const std::unique_ptr<sdk::Cursor> other_;
    const bool is_forward_;
};

}  // namespace

bool LineLoad::is_possible(sdk::Engine& engine) {
    return begin_unchecked(engine) != nullptr;
}

LineLoad::LineLoad(sdk::Transaction& below, sdk::Engine& engine, VersionSpace space, Line line,
                   Base base, Hooks hooks)
    : below_(below),
      engine_(engine),
      space_(std::move(space)),
      line_(line),
      base_(std::move(base)),
      hooks_(std::move(hooks)),
      present_(space_.present(line)),
      written_(space_.written(line)),
      binaries_(space_.binaries(line)),
      versions_(space_.record({})),
      presents_(of_all_lines(present_)),
      pasts_(of_all_lines(space_.past(line, 0, 0).substr(0, present_.size()))),
      kinds_(of_all_lines(space_.kind(line, {}))),
      own_kinds_(space_.kind(line, {})),
      piece_(begin_unchecked(engine_)) {
    space_.cache().add_load(below_, space_.line(line_), {this, base_.newest});
}

LineLoad::~LineLoad() {
    // Whoever clears away what is there must find it.
    if (landed_.valid()) landed_.wait();
    space_.cache().remove_load(below_, space_.line(line_));
    hooks_.at_end();
}

sdk::Result<bool> LineLoad::add_binary(std::string_view name, std::string_view length) {
    const std::string row = binaries_ + std::string(name);
    auto known = get(row);
    if (!known) return known.error();
    if (*known) return false;
    put(row, length);
    return true;
}

sdk::Result<void> LineLoad::settle() {
    const bool has_landed =
        landed_.valid() && landed_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (has_landed) {
        if (auto landed = land(); !landed) return landed;
    }
    return waiting_ < kPieceBytes ? sdk::Result<void>() : begin_commit();
}

sdk::Result<void> LineLoad::commit_rest() {
    if (auto begun = begin_commit(); !begun) return begun;
    return land();
}

sdk::Result<void> LineLoad::land() {
    if (!outcome_ || !landing_) return outcome_;
    outcome_ = landed_.get();
    // One that has failed stays: the piece reads it.
    if (!outcome_) return outcome_;
    unchecked(*piece_).leave_previous();
    landing_.reset();
    return {};
}

sdk::Result<void> LineLoad::begin_commit() {
    if (auto landed = land(); !landed || waiting_ == 0) return landed;
    if (auto may = hooks_.before_piece(); !may) return may;
    landing_ = std::exchange(piece_, unchecked(*piece_).begin_next());
    waiting_ = 0;
    // Shared: the engine may still be inside `set_value` when this thread has gone on.
    const auto outcome = std::make_shared<std::promise<sdk::Result<void>>>();
    landed_ = outcome->get_future();
    landing_->commit(
        [outcome](sdk::Result<void> landed) { outcome->set_value(std::move(landed)); });
    return {};
}

bool LineLoad::is_of_line(std::string_view key) const {
    return key.starts_with(present_) || key.starts_with(written_) || key.starts_with(binaries_);
}

bool LineLoad::is_loaded(std::string_view key) const {
    if (is_of_line(key)) return true;
    constexpr std::size_t kEnd = 2 * kNumberBytes;
    if (!key.starts_with(versions_) || key.size() < versions_.size() + kEnd) return false;
    return ~read_number(key.substr(key.size() - kEnd)) == line_;
}

const sdk::Reader& LineLoad::reader_of(std::string_view key) const {
    // Of a version the line stands behind the record, so all of them are read in one place; what
    // views show of other lines is in it as in the others.
    if (is_of_line(key)) return *piece_;
    if (key.starts_with(versions_))
        return base_.is_uncommitted && !is_loaded(key) ? *base_.rows : *piece_;
    const bool is_of_kind = key.starts_with(kinds_) && !key.starts_with(own_kinds_);
    if (is_of_kind || key.starts_with(presents_) || key.starts_with(pasts_)) return *base_.rows;
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
    if (base_.is_uncommitted && range.begin.starts_with(versions_)) {
        return std::make_unique<BothCursor>(base_.rows->scan(range, direction),
                                            piece_->scan(range, direction), direction);
    }
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
