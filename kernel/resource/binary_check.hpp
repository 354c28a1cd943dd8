#pragma once

#include <string>
#include <vector>

namespace stele::kernel::resource {

struct Rooms;

/// Reads every binary of every place and compares it with its name; a line for each that is not
/// what was stored, or cannot be read.
void check_binaries(Rooms& rooms, std::vector<std::string>& differences);

}  // namespace stele::kernel::resource
