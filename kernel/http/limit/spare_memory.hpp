#pragma once

namespace stele::kernel::http {

/// Bounds what the allocator keeps for later in each of its parts, of which there are many: once,
/// for the process.
void bound_spare_memory();

/// Gives the system what is kept nevertheless. Takes milliseconds: on a worker.
void give_spare_memory_back();

}  // namespace stele::kernel::http
