#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::authority {

/// Which records lie in a container that was removed and is being emptied: as principals they have
/// no rights any more and give none. Looks at each collection once; one reader, one thread.
class RemovedCollections {
public:
    explicit RemovedCollections(const sdk::Reader& reader) : reader_(reader) {}

    sdk::Result<bool> has(std::string_view record_key);

private:
    const sdk::Reader& reader_;
    std::unordered_map<std::string, bool> known_;  // by the key of the collection's mark
};

}  // namespace stele::kernel::authority
