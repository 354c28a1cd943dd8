#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::testing {

/// "a=1 b=2 ": what a scan finds.
std::string entries(const sdk::Reader& reader, const sdk::KeyRange& range,
                    sdk::ScanDirection direction = sdk::ScanDirection::forward);
std::string entries(sdk::Engine& engine, const sdk::KeyRange& range);

/// The value, or "-" without one.
std::string value_of(const sdk::Reader& reader, std::string_view key);
std::string value_of(sdk::Engine& engine, std::string_view key);
std::int64_t counter_of(sdk::Engine& engine, std::string_view key);

void put(sdk::Engine& engine, std::string_view key, std::string_view value);
void remove(sdk::Engine& engine, std::string_view key);

void must_commit(sdk::Transaction& transaction);
/// True when committed, false after a conflict; anything else fails the test.
bool commits(sdk::Transaction& transaction);
/// Commits all at once, so that an engine may put them into one batch; answers how many succeeded.
int commit_all(const std::vector<std::unique_ptr<sdk::Transaction>>& transactions);

}  // namespace stele::testing
