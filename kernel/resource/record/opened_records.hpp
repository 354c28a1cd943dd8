#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <stele/sdk/documents.hpp>

namespace stele::kernel::resource {

/// Records that were opened of late for somebody who only looks at them, as parsing one takes
/// longer than reading it. What is asked for is told by its stored bytes, so a change is never
/// missed. Bounded; any thread.
class OpenedRecords {
public:
    /// Null when these bytes are not known under that key.
    std::shared_ptr<const sdk::Document> find(const sdk::RecordKey& key, std::string_view stored);
    void keep(std::string_view stored, std::shared_ptr<const sdk::Document> document);

private:
    /// Of all keys with the same hash the last that was kept.
    struct Slot {
        std::mutex mutex;
        std::string stored;
        std::shared_ptr<const sdk::Document> document;
    };
    static constexpr std::size_t kSlots = 256;
    /// Larger ones are opened each time.
    static constexpr std::size_t kMaxStoredBytes = std::size_t{32} * 1024;

    Slot& slot_of(const sdk::RecordKey& key);

    std::array<Slot, kSlots> slots_;
};

}  // namespace stele::kernel::resource
