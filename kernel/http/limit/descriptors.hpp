#pragma once

#include <cstddef>

namespace stele::kernel::http {

struct ServerLimits;

/// Lets the process open as many files and sockets as its hard limit allows, 65,536 at most. At the
/// start of the program, before anything asks how many there are.
void raise_descriptor_limit();

/// How many the process may have open.
std::size_t descriptor_limit();

/// Lowers the limits of connections to what `descriptors` leave when the store, its binaries and
/// the workers have theirs: who connects never takes away what the store needs to write. Answers
/// whether it had to.
bool fit_connections(ServerLimits& limits, std::size_t descriptors);

}  // namespace stele::kernel::http
