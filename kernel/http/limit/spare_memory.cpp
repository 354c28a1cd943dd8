#include "kernel/http/limit/spare_memory.hpp"

#include <malloc.h>

namespace stele::kernel::http {

void bound_spare_memory() {
    // By itself the allocator learns from large pieces to keep 64 MiB in each part; giving these
    // back afterwards reaches only what lies between pieces that are used.
    constexpr int kSeparate = 1 << 20;
    constexpr int kKept = 4 << 20;
    ::mallopt(M_MMAP_THRESHOLD, kSeparate);
    ::mallopt(M_TRIM_THRESHOLD, kKept);
}

void give_spare_memory_back() {
    ::malloc_trim(0);
}

}  // namespace stele::kernel::http
