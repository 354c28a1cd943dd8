#pragma once

#include <functional>
#include <utility>

#include <stele/sdk/services/content_transfer.hpp>

namespace stele::archives {

/// Walks content of which the next items are read on a thread of its own while the caller brings
/// the one before: of an import's time a fifth goes into reading. What waits and what is brought
/// come to some mebibyte, or to one item; the reader holds one more, and a copy of it. Items, and
/// the error that ends the walk, come to `visit` on the caller's thread, in the source's order;
/// `is_wanted` is asked by the other thread, about positions ahead of the item that is visited. The
/// source outlives it; meanwhile nobody else walks it, and an item's files are opened while the
/// next item is read. A source that reads by the caller's transaction is walked as it is.
class ReadAhead final : public sdk::ContentSource {
public:
    /// What is to be done meanwhile when no item has come for half a second: the caller's thread
    /// would do nothing. A failure ends the walk.
    using Idle = std::function<sdk::Result<void>()>;
    ReadAhead(sdk::ContentSource& source, Idle idle) : source_(source), idle_(std::move(idle)) {}

    sdk::Result<void> for_each(const Visit& visit) override;
    /// What `visit` throws is thrown here once the other thread has ended, and so is what the
    /// source throws.
    sdk::Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit) override;
    bool reads_context() const override { return source_.reads_context(); }

private:
    sdk::ContentSource& source_;
    const Idle idle_;
};

}  // namespace stele::archives
