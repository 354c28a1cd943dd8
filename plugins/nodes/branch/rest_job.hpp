#pragma once

#include <stele/sdk/services/jobs.hpp>

namespace stele::nodes {

/// A job that takes away the rest of something. Nobody would start it again, so it is begun until
/// it has come to its end, also where the disk was full for a while.
sdk::JobType rest_job(sdk::JobType type);

}  // namespace stele::nodes
