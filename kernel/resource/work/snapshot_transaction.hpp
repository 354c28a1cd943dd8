#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::resource {

/// One moment of the store where a transaction is wanted and only reading is meant: it keeps
/// nothing of what was read, so its memory does not grow with it. A write is a fault, told by
/// `has_writes` and by a commit that fails.
class SnapshotTransaction final : public sdk::Transaction {
public:
    explicit SnapshotTransaction(std::unique_ptr<sdk::Reader> snapshot)
        : snapshot_(std::move(snapshot)) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return snapshot_->get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return snapshot_->get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return snapshot_->scan(std::move(range), direction);
    }
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override {
        return snapshot_->peek(key);
    }
    sdk::Result<void> note_get(std::string_view) const override { return {}; }
    sdk::Result<void> note_scan(sdk::KeyRange) const override { return {}; }
    std::optional<std::uint64_t> state() const override {
        return has_written_ ? std::nullopt : snapshot_->state();
    }
    bool is_distant() const override { return snapshot_->is_distant(); }
    void expect(const std::vector<sdk::KeyRange>& ranges) const override {
        snapshot_->expect(ranges);
    }

    void put(std::string_view, std::string_view) override { has_written_ = true; }
    void remove(std::string_view) override { has_written_ = true; }
    void remove_range(sdk::KeyRange) override { has_written_ = true; }
    void add(std::string_view, std::int64_t) override { has_written_ = true; }
    void put_stamped(std::string_view, const sdk::StampedPut&) override { has_written_ = true; }
    std::optional<std::uint64_t> stamp(std::string_view) const override { return std::nullopt; }
    bool has_writes() const override { return has_written_; }

    void commit(Done done) override {
        done(sdk::make_error(sdk::ErrorKind::internal, "engine.snapshot_written",
                             "what only reads has written"));
    }

private:
    std::unique_ptr<sdk::Reader> snapshot_;
    bool has_written_ = false;
};

}  // namespace stele::kernel::resource
