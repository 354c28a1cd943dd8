#pragma once

#include <mutex>
#include <set>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// What was found damaged since the server has started: each place is logged once, as an error, and
/// the server counts as unfit until it starts anew. Any thread.
class DamageNotes {
public:
    /// `place` names the file, and the offset as far as it is known.
    void note(const std::string& place);
    /// `internal` (`store.damaged`), which names the first place, from the first note on.
    sdk::Result<void> status() const;
    /// For whoever reads the place, which only the log tells.
    static sdk::Error error(std::string place);

private:
    /// Beyond that places are no longer told apart; one message says so.
    static constexpr std::size_t kMaxPlaces = 1000;

    mutable std::mutex mutex_;
    std::string first_;
    std::set<std::string> places_;
};

}  // namespace stele::kernel::storage
