#pragma once

#include <functional>
#include <string>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// Stands in for a call of a collection whose operation has ended while its body is still being
/// sent: rows that leave then are presented by the same request, each piece in a transaction of its
/// own, so that none grows with the body. Owns what the request had only lent.
class LaterCall {
public:
    explicit LaterCall(const RoutedCall& call);
    LaterCall(const LaterCall&) = delete;
    LaterCall& operator=(const LaterCall&) = delete;

    /// The call is there until `work` returns. It has no headers and no raw body.
    sdk::Result<bool> run(const std::function<sdk::Result<bool>(const RoutedCall&)>& work);

private:
    Services& services_;
    CollectionPlace place_;
    std::string request_id_;
    std::string path_;
    std::string remote_address_;
    RequestInput input_;
};

}  // namespace stele::kernel::resource
