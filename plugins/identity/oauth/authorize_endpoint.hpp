#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/reply.hpp>

#include "authorization_codes.hpp"

namespace stele::sdk {
class Activities;
}

namespace stele::identity {

class LoginGuard;

/// GET and POST /oauth/authorize: the part of the code grant that happens in a user's browser.
class AuthorizeEndpoint {
public:
    /// All must outlive this object.
    AuthorizeEndpoint(sdk::Registrar& registrar, LoginGuard& guard, AuthorizationCodes& codes);

    /// Shows the page on which the user logs in.
    sdk::Result<sdk::Reply> show(const sdk::Call& call);
    /// Sends the user back to the client with a code, after a login.
    sdk::Result<sdk::Reply> decide(const sdk::Call& call);

private:
    struct Request;
    static sdk::Result<Request> read(const sdk::Call& call);
    sdk::Result<sdk::Reply> run(const sdk::Call& call, bool is_decision);
    sdk::Result<sdk::Reply> answer(sdk::Context& context, const sdk::Call& call,
                                   const sdk::RecordKey& client, const Request& request,
                                   bool is_decision);
    sdk::Result<sdk::Principal> user_of(sdk::Context& context, const sdk::Call& call,
                                        const sdk::Document& client, const Request& request);

    sdk::Registrar& registrar_;
    LoginGuard& guard_;
    AuthorizationCodes& codes_;
    sdk::Activities* const activities_;  ///< null where nobody keeps an audit log
};

}  // namespace stele::identity
