#pragma once

#include <string>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/row_query.hpp>
#include <stele/sdk/shape.hpp>

namespace stele::sdk {
class Registrar;
}

namespace stele::platform {

/// The last lines of this server's log (docs/specification/platform.md 16), for those who manage
/// the root platform: what a server says of itself concerns all platforms on it.
class LogOperations {
public:
    /// Both must outlive it.
    LogOperations(sdk::Registrar& registrar, sdk::RowQuery& rows)
        : registrar_(registrar), rows_(rows) {}

    /// Words for how bad an entry is.
    static std::vector<std::string> levels();
    /// What a read answers, and a row of a list, which can be without all but the id.
    static sdk::Shape entry();
    static sdk::Shape row();
    /// How the log is sent as text.
    static constexpr char kFileType[] = "text/plain";

    /// The entries that fit the query in the body, oldest first.
    sdk::Result<sdk::Reply> query(const sdk::Call& call) const;
    sdk::Result<sdk::Reply> read(const sdk::Call& call) const;
    /// All kept lines as they stand in the log.
    sdk::Result<sdk::Reply> read_file(const sdk::Call& call) const;
    /// Writes a line into the log.
    sdk::Result<sdk::Reply> create(const sdk::Call& call) const;

private:
    sdk::Result<void> check_may_read(sdk::Context& context) const;

    sdk::Registrar& registrar_;
    sdk::RowQuery& rows_;
};

}  // namespace stele::platform
