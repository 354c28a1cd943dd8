#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

#include "kernel/http/message/message.hpp"
#include "kernel/http/message/route_match.hpp"

namespace stele::kernel::http {

/// Paths with placeholders (`/uiconfigs/{uiConfigId}`), matched segment by segment: the path is
/// split at `/` first and decoded then, so `default%2Feveryone` is one segment; a trailing slash
/// makes no difference; literal segments win over placeholders. Built once, then read by any thread
/// without locks.
class Router {
public:
    Router();
    ~Router();

    /// Fails with `conflict` (`plugin.route_duplicate`) when the method and path are taken,
    /// whatever the placeholders are called, and with `invalid` when the path is malformed.
    sdk::Result<void> add(Method method, std::string_view path, RouteTarget target);

    /// `head` finds what `get` finds. Reuses `match`'s storage.
    void find(Method method, std::string_view path, RouteMatch& match) const;

private:
    struct Node;
    std::unique_ptr<Node> root_;
};

/// Decodes percent-encoding (`+` stays unless `plus_is_blank`); false on bad encoding, a NUL or
/// bytes that are no UTF-8.
bool percent_decode(std::string_view text, std::string& decoded, bool plus_is_blank = false);

}  // namespace stele::kernel::http
