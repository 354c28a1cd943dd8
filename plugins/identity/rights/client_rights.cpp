#include "client_rights.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "token/oauth_error.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

constexpr char kDefaultScope[] = "api";
constexpr char kRedirectMember[] = "registeredRedirectUri";
/// How `Registrar::find_platform` refuses.
constexpr char kClosedPlatform[] = "platform.closed";
/// Schemes of addresses that a browser runs or shows itself.
constexpr const char* kActiveSchemes[] = {"javascript", "data", "vbscript", "about", "blob"};

bool is_scheme(std::string_view text) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
           });
}

/// An absolute address without a fragment (RFC 6749, 3.1.2) that is safe as a header's value.
bool is_redirect_address(std::string_view uri) {
    const std::string scheme = sdk::lower_case(uri.substr(0, std::min(uri.find(':'), uri.size())));
    const bool is_active = std::find(std::begin(kActiveSchemes), std::end(kActiveSchemes),
                                     scheme) != std::end(kActiveSchemes);
    return scheme.size() + 1 < uri.size() && is_scheme(scheme) && !is_active &&
           std::all_of(uri.begin(), uri.end(),
                       [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
}

std::vector<std::string> registered_addresses(const sdk::Document& client) {
    std::vector<std::string> addresses;
    const auto add = [&addresses](const sdk::Json& value) {
        if (value.is_string() && is_redirect_address(value.get_ref<const std::string&>())) {
            addresses.push_back(value.get<std::string>());
        }
    };
    const auto member = client.fields.find(kRedirectMember);
    if (member == client.fields.end()) return addresses;
    if (member->is_array()) {
        std::for_each(member->begin(), member->end(), add);
    } else {
        add(*member);
    }
    return addresses;
}

}  // namespace

bool allows(const sdk::Document& client, const char* member, std::string_view word,
            bool is_default) {
    const auto list = client.fields.find(member);
    if (list == client.fields.end() || list->is_null()) return is_default;
    return sdk::lists_text(client.fields, member, word);
}

sdk::Result<void> check_grant_type(const sdk::Document& client, const std::string& grant_type) {
    if (allows(client, "authorizedGrantTypes", grant_type, true)) return {};
    return unauthorized_client("the client may not use grant_type " + grant_type);
}

sdk::Result<std::string> granted_scope(const sdk::Document& client, const std::string& wanted) {
    if (wanted.empty()) return std::string(kDefaultScope);
    std::string_view rest = wanted;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (word.empty() || allows(client, "scope", word, word == kDefaultScope)) continue;
        return invalid_scope(word);
    }
    return wanted;
}

sdk::Result<RedirectTarget> redirect_target(const sdk::Document& client,
                                            const std::string& wanted) {
    const std::vector<std::string> addresses = registered_addresses(client);
    if (addresses.empty()) {
        return invalid_request(std::string("the client has no ") + kRedirectMember);
    }
    if (wanted.empty() && addresses.size() == 1) return RedirectTarget{addresses.front(), false};
    if (std::find(addresses.begin(), addresses.end(), wanted) != addresses.end()) {
        return RedirectTarget{wanted, true};
    }
    return invalid_request(std::string("redirect_uri must be one of the client's ") +
                           kRedirectMember);
}

sdk::Result<void> run_at_client(
    sdk::Registrar& registrar, sdk::Context& context, std::string_view client_key,
    const std::function<sdk::Result<void>(sdk::Context&, const sdk::RecordKey& client)>& work) {
    const SessionKeys keys = SessionKeys::of(context);
    auto place = read_row<ClientPlace>(context.transaction(), keys.client_key(client_key));
    if (!place) return place.error();
    if (!*place) return invalid_client("the client is unknown");
    const sdk::RecordKey client = (*place)->client;
    if ((*place)->platform == context.platform().number) return work(context, client);
    auto platform = registrar.find_platform((*place)->platform);
    if (!platform && platform.error().code == kClosedPlatform) {
        return invalid_grant("the platform is closed");
    }
    if (!platform) return invalid_client("the client's platform is gone");
    return registrar.run_as_system(
        *platform, [&](sdk::Context& at_client) { return work(at_client, client); });
}

}  // namespace stele::identity
