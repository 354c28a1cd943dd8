#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "branch/branch_content.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

/// A node operation that may take long, as data: what it is told, in the branch that it writes to.
/// It is done inside a call, or by a job that acts for whoever started it.
struct NodeOrder {
    /// Also the type of the job.
    const char* type = "";
    sdk::Json input = sdk::Json::object();
};

inline constexpr char kCopyOrder[] = "copy";
inline constexpr char kCopyFromOrder[] = "copy-nodes";
inline constexpr char kMoveOrder[] = "move-nodes";
inline constexpr char kDeleteOrder[] = "delete-nodes";

/// How chains of objects name associations.
inline constexpr char kAssociationWord[] = "association";

/// The job types of these orders, and copies by chains (`sdk::NodeCopies`). Once, while the plugin
/// is opened.
void define_copy_jobs(Services& services);
/// The job types alone.
void define_node_jobs(Services& services);

/// Does it now. The result is that of the job; `copy` says `copied`: the id of the copy.
sdk::Result<sdk::Json> carry_out(Services& services, sdk::Context& context, const NodeOrder& order,
                                 std::size_t most);
/// Starts a job that does it; answers its id.
sdk::Result<sdk::Reply> start_job(Services& services, const sdk::Call& call,
                                  const NodeOrder& order);
/// What `schedule` asks for: the job's id at once (`asynchronous`), the ended job (`synchronous`);
/// nothing without the parameter. `invalid` for other words.
sdk::Result<std::optional<sdk::Reply>> scheduled(Services& services, const sdk::Call& call,
                                                 const NodeOrder& order);

/// Of orders and merges: everything is done, and undone in the end.
inline constexpr char kIsDryRun[] = "dryRun";

/// Most nodes that an order copies, moves or names inside a call, and in a job.
inline constexpr std::size_t kMaxInCall = 1000;
inline constexpr std::size_t kMaxInJob = 20000;

sdk::Error too_many_nodes(const char* name, std::size_t most);

/// Members of orders that name a branch, by its record or for the branch of a content.
sdk::Json address_of(const sdk::Document& branch);
sdk::Result<sdk::Json> address_of(const BranchContent& content);
/// Starts a job that needs to know no more than the branch; in the operation's transaction.
sdk::Result<void> start_branch_job(const BranchContent& content, const char* type);
/// The branch that such members name; `not_found` (`nodes.branch_unknown`) where whoever acts may
/// not READ it.
sdk::Result<BranchContent> open_address(Services& services, sdk::Context& context,
                                        const sdk::Json& address);

/// The ids in a member of the body: an array of texts, or one text. `invalid` naming the member
/// when there is none, or one that is no text.
sdk::Result<std::vector<std::string>> ids_in(const sdk::Json& body, const char* name);
/// A parameter that is `true`, `false`, `1` or `0` in any letter case.
sdk::Result<bool> is_asked(const sdk::Call& call, const char* name, bool fallback);

}  // namespace stele::nodes
