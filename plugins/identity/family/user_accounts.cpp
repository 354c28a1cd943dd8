#include "user_accounts.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"

namespace stele::identity {

namespace {

/// Rows of a page; a store may have many users.
constexpr std::int64_t kPage = 500;

sdk::Result<sdk::Account> account_of(sdk::Context& context, const sdk::Document& user) {
    const sdk::Principal principal = principal_of(user);
    auto password = has_password(context, user.key);
    if (!password) return password.error();
    return sdk::Account{principal.id,    principal.name,    principal.domain_id,
                        principal.email, principal.enabled, *password};
}

/// Everything that a condition finds in a collection.
sdk::Result<void> for_each(sdk::Context& context, const sdk::CollectionName& collection,
                           const sdk::Json& condition,
                           const std::function<sdk::Result<void>(const sdk::Document&)>& visit) {
    sdk::PageRequest page;
    page.limit = kPage;
    while (true) {
        auto found = context.documents().query(collection, condition, page);
        if (!found) return found.error();
        for (const sdk::Document& row : found->rows) {
            if (auto visited = visit(row); !visited) return visited;
        }
        if (found->rows.size() < static_cast<std::size_t>(kPage)) return {};
        page.skip += found->rows.size();
    }
}

sdk::Result<sdk::Document> find_user(sdk::Context& context, std::string_view form) {
    auto user = find_principal_record(context, form);
    if (!user) return user;
    if (principal_of(*user).kind == sdk::PrincipalKind::user) return user;
    return sdk::make_error(sdk::ErrorKind::invalid, "identity.principal_user_expected",
                           std::string(form) + " is a group, not a user");
}

sdk::Result<sdk::Account> change(sdk::Context& context, std::string_view form, const char* member,
                                 const sdk::Json& value) {
    auto user = find_user(context, form);
    if (!user) return user.error();
    sdk::Json fields = user->fields;
    fields[member] = value;
    auto updated = context.documents().update(
        {kPrincipalType, sdk::text_member(user->fields, "domainId")}, user->id, std::move(fields));
    if (!updated) return updated.error();
    return account_of(context, *updated);
}

}  // namespace

sdk::Result<std::vector<sdk::Account>> UserAccounts::list(sdk::Context& context,
                                                          std::string_view domain) {
    std::vector<sdk::Document> domains;
    if (domain.empty()) {
        auto all = for_each(context, {kDomainType, ""}, sdk::Json::object(),
                            [&](const sdk::Document& row) -> sdk::Result<void> {
                                domains.push_back(row);
                                return {};
                            });
        if (!all) return all.error();
    } else {
        auto named = context.documents().read({kDomainType, ""}, domain);
        if (!named) return named.error();
        domains.push_back(std::move(*named));
    }
    std::vector<sdk::Account> accounts;
    for (const sdk::Document& row : domains) {
        auto users = for_each(context, {kPrincipalType, row.id}, {{"type", "USER"}},
                              [&](const sdk::Document& user) -> sdk::Result<void> {
                                  auto account = account_of(context, user);
                                  if (!account) return account.error();
                                  accounts.push_back(std::move(*account));
                                  return {};
                              });
        if (!users) return users.error();
    }
    std::sort(accounts.begin(), accounts.end(), [](const sdk::Account& a, const sdk::Account& b) {
        return std::tie(a.domain_id, a.name) < std::tie(b.domain_id, b.name);
    });
    return accounts;
}

sdk::Result<sdk::Account> UserAccounts::add(sdk::Context& context, const sdk::NewAccount& account) {
    auto domain = context.documents().read(
        {kDomainType, ""}, account.domain.empty() ? std::string(kPrimary) : account.domain);
    if (!domain) return domain.error();
    sdk::Json fields = {{"name", account.name}, {"type", "USER"}};
    if (!account.email.empty()) fields["email"] = account.email;
    fields["password"] = account.password;
    auto user = context.documents().create({kPrincipalType, domain->id}, std::move(fields));
    if (!user) return user.error();
    if (account.is_administrator) {
        auto granted = context.authorities().grant(context.platform().root, user->key, "owner");
        if (!granted) return granted.error();
    }
    return account_of(context, *user);
}

sdk::Result<sdk::Account> UserAccounts::set_password(sdk::Context& context, std::string_view form,
                                                     const std::string& password) {
    return change(context, form, "password", password);
}

sdk::Result<sdk::Account> UserAccounts::set_enabled(sdk::Context& context, std::string_view form,
                                                    bool is_enabled) {
    return change(context, form, "enabled", is_enabled);
}

}  // namespace stele::identity
