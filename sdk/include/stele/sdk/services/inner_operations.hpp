#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What a client asks of a record or a collection, told without a request.
struct InnerOperation {
    std::string method = "GET";
    /// Below the path of the record or the collection, as the OpenAPI document writes it:
    /// `/acl/list`, `/teams/{teamKey}/members/add`; empty: the path itself.
    std::string path = {};
    /// What stands in the placeholders of `path`, in their order.
    std::vector<std::string> values = {};
    /// The query string.
    std::vector<std::pair<std::string, std::string>> parameters = {};
    Json body = Json::object();
    /// The body of an operation that takes it piece by piece, and its type; opened once.
    std::function<Result<PieceSource>()> bytes = {};
    std::string content_type = {};
};

/// Operations without a request: what a job does for whoever started it. Each runs in the
/// transaction of the given context as if the principal of that context had sent it: with the same
/// rights, bounds, hooks and audit log. Published by the kernel. Any thread.
class InnerOperations {
public:
    virtual ~InnerOperations();

    /// Whether records of the type, or their collections, have the operation at all.
    virtual bool is_offered(std::string_view type, bool is_of_record,
                            const InnerOperation& operation) const = 0;
    /// Of a record; the platform's root is one, too. `not_found` where there is no such record or
    /// operation; otherwise what the operation answers.
    virtual Result<Reply> on_record(Context& context, const RecordKey& record,
                                    const InnerOperation& operation) = 0;
    /// Of the records of a type inside a container.
    virtual Result<Reply> on_collection(Context& context, std::string_view type,
                                        const RecordKey& container,
                                        const InnerOperation& operation) = 0;

    /// Runs `work` in a context of the principal, commits, and repeats it after a conflict. Waits:
    /// not on a thread that serves connections.
    virtual Result<void> run_as(const PlatformScope& platform, const Principal& principal,
                                const std::function<Result<void>(Context&)>& work) = 0;
    /// Runs `work` once in such a context that shows one moment and takes no writes: what it reads
    /// is not kept, however much it is, and no writer disturbs it.
    virtual Result<void> read_as(const PlatformScope& platform, const Principal& principal,
                                 const std::function<Result<void>(Context&)>& work) = 0;
};

}  // namespace stele::sdk
