#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>

namespace stele::sdk {

/// A body that has arrived in whole, in memory or on the server's disk. One thread; valid during
/// the handler only.
class Upload {
public:
    virtual ~Upload();
    /// Replaces `piece` with what comes next, some kilobytes; empty at the end.
    virtual Result<void> read(std::string& piece) = 0;
};

/// One request to an operation, already routed, authenticated, authorized and decoded. Valid during
/// the handler only. One thread at a time.
/// A record as readers get it, without being decoded.
struct RecordText {
    std::string id;
    std::uint64_t version = 0;
    /// JSON, an object with at least one member. Of the call.
    std::string_view json;
};

class Call {
public:
    virtual ~Call();

    virtual Context& context() const = 0;

    /// The value of a path placeholder, percent-decoded; empty when the route has none so named.
    virtual std::string_view path(std::string_view placeholder) const = 0;
    /// A parameter from the query string; else a scalar member of the body, where the operation
    /// declares a parameter of that name and its body is no record and no query (`BodyUse`).
    virtual std::optional<std::string> parameter(std::string_view name) const = 0;
    /// Its values in the query string, in order, however often it is there; else what `parameter`
    /// answers.
    virtual std::vector<std::string> parameters(std::string_view name) const;
    /// As `parameter`, or `invalid` naming the parameter when it is missing or empty.
    Result<std::string> required_parameter(std::string_view name) const;
    /// `true` or `false` in any letter case, or `1` or `0`, also in quotes; nothing when absent;
    /// `invalid` for other text.
    Result<std::optional<bool>> flag(std::string_view name) const;

    /// Names in the query string, in order, each once.
    virtual std::vector<std::string> parameter_names() const = 0;

    /// The decoded JSON body; `{}` for an empty one.
    virtual const Json& body() const = 0;
    /// The body as it came, for operations whose bodies are not JSON (`/oauth/token`).
    virtual std::string_view raw_body() const = 0;
    /// The body of an operation that takes it piece by piece. A handler that is repeated after a
    /// conflict reads it again from the start.
    virtual Upload& upload() const = 0;
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    /// The method in upper case.
    virtual std::string_view method() const = 0;

    /// `skip`, `limit`, `sort`, `options`, checked. Only on operations declared as paged.
    virtual const PageRequest& page() const = 0;

    /// The record that the route addresses, as read in this transaction. Only on item operations.
    virtual const Document& record() const = 0;
    /// The same for replies that pass it on: decoding costs more than reading it.
    virtual RecordText record_text() const = 0;
    /// What `Resource::read_space` answered when that record was looked for, so that nobody needs
    /// to find its space again; null where it lies in none. As the space was then.
    virtual const Reader* record_space() const { return nullptr; }
    /// The collection that the route addresses. Only on operations of a resource.
    virtual const CollectionName& collection() const = 0;

    virtual std::string_view request_id() const = 0;
};

}  // namespace stele::sdk
