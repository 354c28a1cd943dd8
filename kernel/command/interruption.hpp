#pragma once

namespace stele::kernel::command {

/// From now on the first SIGINT, SIGTERM or SIGHUP only asks the command to end; a second one ends
/// it at once. Writing to a pipe that nobody reads is an error instead of the end.
void catch_interruptions();
bool is_interrupted();

}  // namespace stele::kernel::command
