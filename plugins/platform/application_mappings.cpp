#include "application_mappings.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include <stele/sdk/context.hpp>
#include <stele/sdk/members.hpp>

#include "deployments.hpp"

namespace stele::platform {

namespace {

/// Records that are looked at.
constexpr std::int64_t kMaxRecords = 10'000;
constexpr char kAutoClientMapping[] = "autoClientMapping";
constexpr char kTrustedDomainMapping[] = "trustedDomainMapping";

/// Those of a collection that fit and that the caller may READ; none where no plugin offers it.
sdk::Result<std::vector<sdk::Document>> readable(sdk::Context& context,
                                                 const sdk::CollectionName& collection,
                                                 const sdk::Json& query) {
    sdk::PageRequest page;
    page.limit = kMaxRecords;
    auto found = context.documents().query(collection, query, page);
    std::vector<sdk::Document> rows;
    if (!found && sdk::is_missing(found.error())) return rows;
    if (!found) return found.error();
    for (sdk::Document& row : found->rows) {
        auto may = sdk::holds(context, row.key, sdk::Permission::read);
        if (!may) return may.error();
        if (*may) rows.push_back(std::move(row));
    }
    return rows;
}

sdk::Json naming(const sdk::Document& application) {
    sdk::Json ways = sdk::Json::array({{{"applicationId", application.id}}});
    const std::string key = sdk::text_member(application.fields, "key");
    if (!key.empty()) ways.push_back({{"applicationKey", key}});
    return {{"$or", std::move(ways)}};
}

/// Whether a deployment of the application lies in the web host.
bool is_deployed_to(const sdk::Json& application, const std::string& host) {
    const auto deployed = application.find(kDeployed);
    if (deployed == application.end() || !deployed->is_object()) return false;
    for (const auto& [key, place] : deployed->items()) {
        if (place.is_object() && sdk::text_member(place, "webhost") == host) return true;
    }
    return false;
}

sdk::Result<std::vector<sdk::Json>> mappings_of(const sdk::Call& call, const char* type) {
    sdk::Context& context = call.context();
    const sdk::Document& application = call.record();
    auto hosts = readable(context, {"webhost", ""}, sdk::Json::object());
    if (!hosts) return hosts.error();
    const bool is_named = std::string_view(type) == kAutoClientMapping;
    std::vector<sdk::Json> rows;
    for (const sdk::Document& host : *hosts) {
        auto named =
            readable(context, {kAutoClientMapping, host.id, host.key}, naming(application));
        if (!named) return named.error();
        const bool concerns = !named->empty() || is_deployed_to(application.fields, host.id);
        if (!is_named && concerns) {
            named = readable(context, {type, host.id, host.key}, sdk::Json::object());
            if (!named) return named.error();
        }
        if (!is_named && !concerns) continue;
        for (sdk::Document& mapping : *named)
            rows.push_back(std::move(mapping.fields));
    }
    return rows;
}

sdk::Result<sdk::Reply> mapping_page(const sdk::Call& call, sdk::RowQuery& rows, const char* type) {
    auto found = mappings_of(call, type);
    if (!found) return found.error();
    return rows.page(*found, sdk::Json::object(), call.page());
}

}  // namespace

sdk::Result<sdk::Reply> list_auto_client_mappings(const sdk::Call& call, sdk::RowQuery& rows) {
    return mapping_page(call, rows, kAutoClientMapping);
}

sdk::Result<sdk::Reply> list_trusted_domain_mappings(const sdk::Call& call, sdk::RowQuery& rows) {
    return mapping_page(call, rows, kTrustedDomainMapping);
}

sdk::Result<sdk::Reply> list_application_types(const sdk::Call& call, sdk::RowQuery& rows) {
    auto applications =
        readable(call.context(), {"application", ""}, {{"applicationType", {{"$exists", true}}}});
    if (!applications) return applications.error();
    std::map<std::string, sdk::Json> types;
    for (const sdk::Document& application : *applications) {
        const std::string type = sdk::text_member(application.fields, "applicationType");
        if (type.empty()) continue;
        types[type] = {{"_doc", type}, {"identifier", type}, {"reference", type}, {"title", type}};
    }
    std::vector<sdk::Json> found;
    for (auto& [name, type] : types)
        found.push_back(std::move(type));
    return rows.page(found, sdk::Json::object(), call.page());
}

}  // namespace stele::platform
