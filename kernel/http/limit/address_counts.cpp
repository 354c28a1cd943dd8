#include "kernel/http/limit/address_counts.hpp"

#include "kernel/http/limit/rate_limits.hpp"

namespace stele::kernel::http {

std::size_t AddressCounts::add(std::string_view address) {
    const std::string caller = caller_of_address(address);
    const std::lock_guard lock(mutex_);
    return counts_[caller]++;
}

void AddressCounts::remove(std::string_view address) {
    const std::string caller = caller_of_address(address);
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(caller);
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

}  // namespace stele::kernel::http
