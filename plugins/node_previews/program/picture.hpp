#pragma once

#include "program/task.hpp"

namespace stele::node_previews {

/// Loads the libraries; false when they are not as needed. Afterwards they read the formats of
/// previews only.
bool open_libraries(const char* program_name);

/// Reads a picture from standard input and writes its preview to standard output; one of
/// `exit_code`.
int render_picture(const RenderTask& task);

}  // namespace stele::node_previews
