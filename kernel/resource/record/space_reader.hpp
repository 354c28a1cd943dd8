#pragma once

#include <memory>
#include <utility>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::resource {

/// What the records of a collection are read from: the store, or the space that the family has made
/// of it. Must not outlive the store's reader.
class SpaceReader {
public:
    explicit SpaceReader(const sdk::Reader& store) : reader_(&store) {}
    explicit SpaceReader(std::unique_ptr<sdk::Reader> space)
        : space_(std::move(space)), reader_(space_.get()) {}

    const sdk::Reader& operator*() const { return *reader_; }
    /// What the family has made; null for the store.
    const sdk::Reader* space() const { return space_.get(); }

private:
    std::unique_ptr<sdk::Reader> space_;
    const sdk::Reader* reader_;
};

}  // namespace stele::kernel::resource
