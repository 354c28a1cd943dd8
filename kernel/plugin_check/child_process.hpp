#pragma once

#include <functional>
#include <string>

namespace stele::kernel::plugin_check {

/// Runs `check` in a process of its own, so that whatever a plugin does (crash, hang, exit) becomes
/// a sentence. Answers what `check` answered, the empty text meaning success.
std::string run_in_child(const std::function<std::string()>& check);

}  // namespace stele::kernel::plugin_check
