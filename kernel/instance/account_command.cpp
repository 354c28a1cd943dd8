#include "kernel/instance/account_command.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::kernel::instance {

namespace {

sdk::Json json_of(const sdk::Account& account) {
    return {{"id", account.id},
            {"name", account.name},
            {"domain", account.domain_id},
            {"email", account.email},
            {"enabled", account.is_enabled},
            {"password", account.has_password}};
}

sdk::Result<sdk::Json> alone(const sdk::Result<sdk::Account>& account) {
    if (!account) return account.error();
    return sdk::Json::array({json_of(*account)});
}

sdk::Result<sdk::Json> list(sdk::Accounts& accounts, sdk::Context& context,
                            const std::string& domain) {
    auto all = accounts.list(context, domain);
    if (!all) return all.error();
    sdk::Json listed = sdk::Json::array();
    for (const sdk::Account& account : *all)
        listed.push_back(json_of(account));
    return listed;
}

}  // namespace

sdk::Result<sdk::Json> run_account_command(sdk::Accounts& accounts, sdk::Context& context,
                                           const sdk::Json& request) {
    const std::string action = sdk::text_member(request, "action");
    const std::string name = sdk::text_member(request, "name");
    const std::string domain = sdk::text_member(request, "domain");
    const std::string password = sdk::text_member(request, "password");
    if (action == "list") return list(accounts, context, domain);
    if (action == "add") {
        return alone(
            accounts.add(context, {name, domain, sdk::text_member(request, "email"), password,
                                   sdk::flag_member(request, "administrator", false)}));
    }
    if (action == "set-password") return alone(accounts.set_password(context, name, password));
    if (action == "disable") return alone(accounts.set_enabled(context, name, false));
    if (action == "enable") return alone(accounts.set_enabled(context, name, true));
    return sdk::make_error(
        sdk::ErrorKind::invalid, "admin.command_unknown",
        "the server does not know how to '" + action + "' users; it is of another version");
}

sdk::Account account_of(const sdk::Json& json) {
    return {sdk::text_member(json, "id"),
            sdk::text_member(json, "name"),
            sdk::text_member(json, "domain"),
            sdk::text_member(json, "email"),
            sdk::flag_member(json, "enabled", true),
            sdk::flag_member(json, "password", false)};
}

}  // namespace stele::kernel::instance
