#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::nodes {

/// Walks entries that were gathered, or says why they could not be.
class ListCursor final : public sdk::Cursor {
public:
    /// Key and value, in key order.
    using Entries = std::vector<std::pair<std::string, std::string>>;

    ListCursor(Entries entries, sdk::ScanDirection direction)
        : entries_(std::move(entries)), is_forward_(direction == sdk::ScanDirection::forward) {
        if (!is_forward_) std::reverse(entries_.begin(), entries_.end());
    }
    explicit ListCursor(sdk::Error failure) : is_forward_(true), status_(std::move(failure)) {}

    bool is_valid() const override { return at_ < entries_.size(); }
    std::string_view key() const override { return entries_[at_].first; }
    std::string_view value() const override { return entries_[at_].second; }
    void next() override { ++at_; }
    void seek(std::string_view key) override {
        const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
            return is_forward_ ? entry.first >= key : entry.first <= key;
        });
        at_ = static_cast<std::size_t>(found - entries_.begin());
    }
    sdk::Result<void> status() const override { return status_; }

private:
    Entries entries_;
    bool is_forward_;
    std::size_t at_ = 0;
    sdk::Result<void> status_;
};

}  // namespace stele::nodes
