#include "paths/kept_keys.hpp"

namespace stele::archives {

namespace {

/// Most containers hold few records, and a table would be more than these.
constexpr std::size_t kMostInMemory = 1000;

}  // namespace

sdk::Result<void> KeptKeys::add(const sdk::RecordKey& key) {
    if (first_.size() < kMostInMemory) {
        first_.push_back(key);
        return {};
    }
    if (!others_) others_.emplace(scratch_);
    return others_->put(key, {});
}

sdk::Result<void> KeptKeys::for_each(
    const std::function<sdk::Result<void>(const sdk::RecordKey& key)>& visit) const {
    for (const sdk::RecordKey& key : first_) {
        if (auto visited = visit(key); !visited) return visited;
    }
    if (!others_) return {};
    return others_->for_each(
        [&visit](std::string_view key, std::string_view) { return visit(sdk::RecordKey(key)); });
}

}  // namespace stele::archives
