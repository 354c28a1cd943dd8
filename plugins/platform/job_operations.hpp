#pragma once

#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/row_query.hpp>

namespace stele::platform {

/// Following and ending jobs (docs/specification/platform.md 14.1). A caller sees the jobs that run
/// as itself; who may update the platform sees all of them.
class JobOperations {
public:
    /// Both must outlive it.
    JobOperations(sdk::Jobs& jobs, sdk::RowQuery& rows) : jobs_(jobs), rows_(rows) {}

    sdk::Result<sdk::Reply> read(const sdk::Call& call) const;
    sdk::Result<sdk::Reply> kill(const sdk::Call& call) const;
    /// Jobs keep what they make in their results: none, and `not_found` for each.
    sdk::Result<sdk::Reply> list_attachments(const sdk::Call& call) const;
    sdk::Result<sdk::Reply> read_attachment(const sdk::Call& call) const;
    /// Jobs in these states, all when empty, that fit the query in the body.
    sdk::Result<sdk::Reply> query(const sdk::Call& call,
                                  const std::vector<sdk::JobState>& states) const;

private:
    /// The job, when the caller may see it; `not_found` (`job.unknown`) otherwise.
    sdk::Result<sdk::Json> find(const sdk::Call& call) const;

    sdk::Jobs& jobs_;
    sdk::RowQuery& rows_;
};

}  // namespace stele::platform
