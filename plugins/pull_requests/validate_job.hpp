#pragma once

#include <string>

#include <stele/sdk/documents.hpp>

#include "request_branches.hpp"
#include "services.hpp"

namespace stele::pull_requests {

/// The kind of job that finds out what a merge would meet, as whoever started it. Once, while the
/// plugin is opened. The services outlive it.
void define_validate_job(const RequestServices& services);

/// Starts it in the context's transaction; `is_noted`: the request will say what was found.
sdk::Result<std::string> start_validate_job(const RequestServices& services, sdk::Context& context,
                                            const std::string& repository,
                                            const sdk::Document& request, bool is_noted);

}  // namespace stele::pull_requests
