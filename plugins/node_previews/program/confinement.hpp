#pragma once

#include "program/task.hpp"

namespace stele::node_previews {

/// Bounds memory, time and output of this process, leaves it no open file beyond the three standard
/// ones, and ends it with its parent. False when the system refuses one of these.
bool limit_process(const RenderLimits& limits);

/// From now on: nothing can be written or, outside of the system's own folders, read by a path; no
/// connections, no programs, no signals to others. As far as the system's kernel can do it: the
/// limits are what previews rest on, this is for a decoder that has been taken over.
void confine_process();

}  // namespace stele::node_previews
