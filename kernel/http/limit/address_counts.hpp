#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stele::kernel::http {

/// How many connections each address has open. Any thread.
class AddressCounts {
public:
    /// Answers how many there were before.
    std::size_t add(std::string_view address);
    void remove(std::string_view address);

private:
    std::mutex mutex_;
    /// By what `caller_of_address` makes of an address.
    std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace stele::kernel::http
