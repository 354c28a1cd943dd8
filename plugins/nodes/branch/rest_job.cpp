#include "branch/rest_job.hpp"

#include <limits>
#include <utility>

namespace stele::nodes {

sdk::JobType rest_job(sdk::JobType type) {
    type.attempts = std::numeric_limits<int>::max();
    type.is_of_starter = false;
    type.run = [run = std::move(type.run)](sdk::Job& job) {
        auto done = run(job);
        if (done || done.error().kind != sdk::ErrorKind::storage_full) return done;
        // Of a kind that is tried again.
        sdk::Error error = done.error();
        error.kind = sdk::ErrorKind::unavailable;
        return sdk::Result<sdk::Json>(std::move(error));
    };
    return type;
}

}  // namespace stele::nodes
