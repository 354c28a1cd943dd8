#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "list_cursor.hpp"

namespace stele::nodes {

/// Rows that a reader showed once, as a reader of their own. Only for few: a scan copies its range.
class CopiedRows final : public sdk::Reader {
public:
    /// Adds those of a prefix.
    sdk::Result<void> add(const sdk::Reader& reader, const std::string& prefix) {
        const auto cursor =
            reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next())
            rows_.insert_or_assign(std::string(cursor->key()), std::string(cursor->value()));
        return cursor->status();
    }

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        const auto found = rows_.find(key);
        return found == rows_.end() ? std::nullopt : std::optional(found->second);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        const auto found = rows_.find(key);
        if (found != rows_.end()) value = found->second;
        return found != rows_.end();
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        ListCursor::Entries entries;
        const auto end = range.end.empty() ? rows_.end() : rows_.lower_bound(range.end);
        for (auto at = rows_.lower_bound(range.begin); at != end; ++at)
            entries.emplace_back(at->first, at->second);
        return std::make_unique<ListCursor>(std::move(entries), direction);
    }

private:
    std::map<std::string, std::string, std::less<>> rows_;
};

}  // namespace stele::nodes
