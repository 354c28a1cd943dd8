#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernel/resource/record/records.hpp"

namespace stele::kernel::resource {

/// Where a path leads: the collection that it addresses, and the records around that.
struct TargetPath {
    CollectionPlace place;
    /// Keys, outermost first, the platform not among them.
    std::vector<sdk::RecordKey> containers;
};

/// Where paths of late led to, as finding that out takes more than reading a record there. A path
/// is remembered for one state of the store, so what it tells is exact. Bounded; any thread.
class PathCache {
public:
    struct Name {
        std::uint64_t platform = 0;
        const RegisteredResource* family = nullptr;
        /// Of the containers, as the caller wrote them, outermost first.
        std::span<const std::string> ids;
    };

    /// Null when it is not known for that state.
    std::shared_ptr<const TargetPath> find(const Name& name, std::uint64_t state);
    void keep(const Name& name, std::uint64_t state, std::shared_ptr<const TargetPath> path);

private:
    /// Of all names with the same hash the last that was kept.
    struct Slot {
        std::mutex mutex;
        std::uint64_t platform = 0;
        const RegisteredResource* family = nullptr;
        std::vector<std::string> ids;
        std::uint64_t state = 0;
        std::shared_ptr<const TargetPath> path;

        bool holds(const Name& name) const;
    };
    static constexpr std::size_t kSlots = 256;

    Slot& slot_of(const Name& name);

    std::array<Slot, kSlots> slots_;
};

}  // namespace stele::kernel::resource
