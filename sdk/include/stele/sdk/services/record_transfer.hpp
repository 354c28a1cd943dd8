#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Export and import of records (docs/specification/interface.md 5.2, EX and IM). Published by the
/// plugin that keeps archives; without it no family has routes for them. Any thread.
class RecordTransfer {
public:
    virtual ~RecordTransfer();

    /// `POST {I}/export`, by a caller who may READ the record: starts the job that puts it into an
    /// archive. The answer is the configuration with the job's members.
    virtual Result<Reply> start_export(const Call& call, const RecordKey& record) = 0;
    /// `POST {I}/import`, by a caller who may UPDATE the record: starts the job that brings an
    /// archive into the record, or onto it. What the caller may write there the job asks, record by
    /// record.
    virtual Result<Reply> start_import(const Call& call, const RecordKey& record) = 0;
};

}  // namespace stele::sdk
