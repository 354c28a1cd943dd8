#include "kernel/authority/removed_collections.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "kernel/authority/authority_keys.hpp"

namespace stele::kernel::authority {

sdk::Result<bool> RemovedCollections::has(std::string_view record_key) {
    sdk::KeyReader parts(record_key);
    const auto platform = parts.integer();
    const auto collection = parts.integer();
    // The server itself acts as a principal without a record.
    if (!platform || !collection) return false;
    std::string mark = removal_key(*platform, *collection);
    if (const auto known = known_.find(mark); known != known_.end()) return known->second;
    std::string type;
    const auto is_removed = reader_.get_into(mark, type);
    if (is_removed) known_.emplace(std::move(mark), *is_removed);
    return is_removed;
}

}  // namespace stele::kernel::authority
