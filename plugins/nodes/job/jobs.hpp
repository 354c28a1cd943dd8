#pragma once

#include "branch/services.hpp"

namespace stele::nodes {

/// Kinds of jobs that operations start; once, while the plugin is opened. The services outlive
/// them.
void define_history_jobs(Services& services);
void define_difference_jobs(Services& services);
void define_merge_jobs(Services& services);
void define_change_jobs(Services& services);
void define_maintenance_jobs(Services& services);

}  // namespace stele::nodes
