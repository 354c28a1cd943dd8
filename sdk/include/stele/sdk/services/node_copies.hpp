#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Copies of nodes by chains (docs/specification/nodes.md 18.2). Published by the plugin that keeps
/// nodes, for the one that keeps the operation `POST /tools/copy`. Any thread.
class NodeCopies {
public:
    virtual ~NodeCopies();

    /// What `POST /tools/copy` answers where `sources` ends in a node or an association: the job
    /// that copies it.
    virtual Result<Reply> copy(const Call& call) = 0;
};

}  // namespace stele::sdk
