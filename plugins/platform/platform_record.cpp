#include "platform_record.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/entity_tag.hpp>

#include "contained_types.hpp"

namespace stele::platform {

namespace {

const sdk::CollectionName kRootCollection{"platform", ""};

/// Kinds of stores that `/info` counts; those that no enabled plugin offers are left out.
constexpr const char* kCountedTypes[] = {"application", "directory", "domain",
                                         "project",     "registrar", "repository",
                                         "stack",       "vault",     "webhost"};

/// Members that say whose platform this is: set with a tenant, never by an update.
constexpr const char* kOwnerMembers[] = {"ownerRegistrarId", "ownerTenantId"};

/// The root is its platform's only record, so its version says everything.
std::string etag_of(const sdk::Document& root) {
    return sdk::version_tag(root.id, root.version);
}

}  // namespace

sdk::Result<sdk::Reply> read_platform(const sdk::Call& call) {
    auto root = call.context().documents().read(call.context().platform().root);
    if (!root) return root.error();
    sdk::Reply reply = sdk::Reply::json(root->fields);
    reply.etag(etag_of(*root));
    return reply;
}

sdk::Result<sdk::Reply> update_platform(const sdk::Call& call) {
    sdk::Context& context = call.context();
    if (!call.body().is_object()) return sdk::invalid_parameter("body", "must be an object");
    auto before = context.documents().read(context.platform().root);
    if (!before) return before.error();
    if (auto checked = sdk::check_if_match(call, etag_of(*before)); !checked)
        return checked.error();
    sdk::Json fields = call.body();
    for (const char* name : kOwnerMembers) {
        fields.erase(name);
        const auto old = before->fields.find(name);
        if (old != before->fields.end()) fields[name] = *old;
    }
    auto after = context.documents().update(kRootCollection, before->id, std::move(fields));
    if (!after) return after.error();
    // As on every record: only a plain false asks for less.
    if (call.parameter("full") == "false") return sdk::Reply::status({{"_doc", after->id}});
    return sdk::Reply::status(after->fields);
}

sdk::Result<sdk::Reply> read_info(const sdk::Call& call) {
    sdk::PageRequest nothing;
    nothing.limit = 0;
    sdk::Json counts = sdk::Json::object();
    for (const char* type : kCountedTypes) {
        // A number of which a part is hidden would tell of that.
        auto reads_all = call.context().documents().reads_all({type, ""});
        if (!reads_all && sdk::is_missing(reads_all.error())) continue;
        if (!reads_all) return reads_all.error();
        if (!*reads_all) continue;
        auto page = call.context().documents().query({type, ""}, sdk::Json::object(), nothing);
        if (!page && sdk::is_missing(page.error())) continue;
        if (!page) return page.error();
        counts[type] = page->total_rows;
    }
    return sdk::Reply::json({{"datastore_counts", counts}});
}

sdk::Result<sdk::Reply> list_contained_types(const sdk::Call& call) {
    const std::vector<std::string_view>* types = contained_types(call.path("typeId"));
    if (!types) {
        return sdk::make_error(
            sdk::ErrorKind::not_found, "platform.type_unknown",
            "there is no type " + std::string(call.path("typeId")) + " that contains others");
    }
    return sdk::Reply::json({{"types", *types}});
}

}  // namespace stele::platform
