#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace stele::kernel::storage {

/// What a look at every byte of one of LevelDB's logs finds (the log of writes, the manifest).
struct LogScan {
    enum class State {
        whole,
        /// What was written last is not whole: the process or the machine died over it, before it
        /// was acknowledged. Damage of just that part looks the same.
        torn,
        /// Something in the middle is not what was written: whole records come behind it.
        damaged,
    };
    State state = State::whole;
    /// Where the bad part begins; the end of the last whole record in front of it at `kept_bytes`.
    std::uint64_t offset = 0;
    std::uint64_t kept_bytes = 0;
};

/// `visit`, if any, gets each whole record up to the bad part.
LogScan scan_log(std::string_view bytes,
                 const std::function<void(std::string_view record)>& visit = {});

}  // namespace stele::kernel::storage
