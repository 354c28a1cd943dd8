#pragma once

#include <optional>
#include <string>

#include "tests/gifts/gift_steps.hpp"
#include "tests/gifts/store_rewind.hpp"

namespace stele::kernel::gifts {

/// Walks over random worlds by random steps and looks at everybody's rights after each. All worlds
/// lie in one server, one after the other: what a sequence has done to the store is taken back.
/// Jobs run as long as it lives, which is once in a process.
class GiftWalk {
public:
    GiftWalk();
    ~GiftWalk();
    GiftWalk(const GiftWalk&) = delete;
    GiftWalk& operator=(const GiftWalk&) = delete;

    /// One sequence of steps, always the same by its number. Answers who won what, and by which
    /// steps, where somebody has more rights than they were given by somebody with these; the
    /// sequence ends there.
    std::optional<std::string> sequence(unsigned number);

private:
    /// Worlds of so many sequences have the same cast: making it takes longer than they do.
    static constexpr unsigned kSequencesByCast = 100;
    static constexpr int kSteps = 8;

    const GiftWorld& cast(unsigned number);

    GiftServer& server_ = GiftServer::instance();
    StoreRewind to_nothing_{*server_.services().engine};
    StoreRewind to_cast_{*server_.services().engine};
    std::optional<GiftWorld> cast_;
    unsigned cast_number_ = 0;
};

}  // namespace stele::kernel::gifts
