#include "kernel/storage/query/query_time.hpp"

namespace stele::kernel::storage {

void QueryTime::resume() {
    time_ = {};
    last_look_ = job::Budget::Clock::now();
}

sdk::Result<void> QueryTime::check() {
    work_ = 0;
    if (auto left = job::Budget::check_current(); !left) return left;
    if (most_time_ == job::Budget::kUnlimited) return {};
    const auto now = job::Budget::Clock::now();
    time_ += now - last_look_;
    last_look_ = now;
    if (time_ <= most_time_) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "query.time_spent",
                           "the query takes longer than one query may take; ask by fields that "
                           "have an index, or for less");
}

}  // namespace stele::kernel::storage
