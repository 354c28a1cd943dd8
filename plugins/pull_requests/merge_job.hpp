#pragma once

#include <string>

#include <stele/sdk/documents.hpp>

#include "services.hpp"

namespace stele::pull_requests {

/// The kind of job that merges a request for whoever started it. Once, while the plugin is opened.
/// The services outlive it.
///
/// The merge and the request's state are one transaction, which also asks whether the request still
/// waits for this job: so it is merged once, whoever dies meanwhile.
void define_merge_job(const RequestServices& services);

/// Starts it in the context's transaction, and has the request say so.
/// `is_automatic`: nobody asked for it, so nothing is said where there is nothing to merge. With
/// `seen_source` it merges only while that changeset is the source's tip.
sdk::Result<std::string> start_merge_job(const RequestServices& services, sdk::Context& context,
                                         const std::string& repository, const std::string& request,
                                         bool is_automatic, const std::string& seen_source = {});

}  // namespace stele::pull_requests
