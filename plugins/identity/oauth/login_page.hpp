#pragma once

#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/reply.hpp>

namespace stele::identity {

/// The web page that asks for a user's name and password and posts them to where it came from,
/// together with the hidden fields. `client` is shown as who will get in.
sdk::Reply login_page(const std::string& client,
                      const std::vector<std::pair<std::string, std::string>>& hidden);

}  // namespace stele::identity
