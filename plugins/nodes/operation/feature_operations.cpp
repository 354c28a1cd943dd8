#include <cstdint>
#include <random>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/attachment_writer.hpp"
#include "attachment/pictures.hpp"
#include "branch/client_members.hpp"
#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kFeatureId[] = "featureId";

sdk::Json features_of(const sdk::Json& node) {
    const auto features = node.find(member::kFeatures);
    const bool is_object = features != node.end() && features->is_object();
    return is_object ? *features : sdk::Json::object();
}

sdk::Error unknown_feature(std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.feature_unknown",
                           fmt::format("the node has no feature {}", id));
}

sdk::Result<sdk::Reply> list_features(Services&, const sdk::Call& call) {
    return sdk::Reply::json(features_of(call.record().fields));
}

sdk::Result<sdk::Reply> read_feature(Services&, const sdk::Call& call) {
    const sdk::Json features = features_of(call.record().fields);
    const auto config = features.find(kept_feature_name(call.path(kFeatureId)));
    if (config == features.end()) return unknown_feature(call.path(kFeatureId));
    return sdk::Reply::json(config->is_object() ? *config : sdk::Json::object());
}

sdk::Result<sdk::Reply> write_features(Services& services, const sdk::Call& call,
                                       sdk::Json features) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    sdk::Json fields = call.record().fields;
    fields[member::kFeatures] = std::move(features);
    auto written =
        call.context().documents().update(content->nodes(), call.record().id, std::move(fields));
    if (!written) return written.error();
    const sdk::Json before = kept_attachments(written->fields);
    sdk::Json attachments = before;
    if (auto derived = derive_pictures(*content, written->fields, attachments); !derived)
        return derived.error();
    if (attachments != before) written = put_attachments(*content, *written, attachments);
    if (!written) return written.error();
    return sdk::Reply::status(written->fields);
}

sdk::Result<sdk::Reply> set_feature(Services& services, const sdk::Call& call) {
    const std::string id = kept_feature_name(call.path(kFeatureId));
    if (!is_qname(id)) {
        return sdk::make_error({{kFeatureId, "nodes.qname_malformed",
                                 "a feature is named by a prefix, a colon and a local name"}});
    }
    sdk::Json config = call.body();
    // Empty objects arrive as empty arrays, too, and as null (docs/specification/nodes.md 1.1).
    if (config.is_null() || (config.is_array() && config.empty())) config = sdk::Json::object();
    if (!config.is_object()) {
        return sdk::make_error({{id, "nodes.feature_malformed",
                                 "the configuration of a feature must be a JSON object"}});
    }
    sdk::Json features = features_of(call.record().fields);
    features[id] = std::move(config);
    return write_features(services, call, std::move(features));
}

sdk::Result<sdk::Reply> remove_feature(Services& services, const sdk::Call& call) {
    sdk::Json features = features_of(call.record().fields);
    if (features.erase(kept_feature_name(call.path(kFeatureId))) == 0)
        return unknown_feature(call.path(kFeatureId));
    return write_features(services, call, std::move(features));
}

/// The QName of a required parameter.
sdk::Result<std::string> qname_parameter(const sdk::Call& call, const char* name) {
    auto qname = call.required_parameter(name);
    if (!qname) return qname;
    qname = type_parameter(call, name);
    if (!qname || !qname->empty()) return qname;
    return sdk::invalid_parameter(name, "is missing");
}

/// Sets what an update keeps.
sdk::Result<sdk::Reply> set_kept_member(Services& services, const sdk::Call& call,
                                        const sdk::Json& members) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const sdk::Document& node = call.record();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    if (auto free = check_unlocked(*content, node); !free) return free.error();
    sdk::Json after = node.fields;
    after.update(members);
    sdk::Violations violations;
    if (auto checked = validate_content(*content, after, violations); !checked)
        return checked.error();
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    auto written = call.context().documents().patch(content->nodes(), node.id, members);
    if (!written) return written.error();
    return sdk::Reply::status(written->fields);
}

sdk::Result<sdk::Reply> change_qname(Services& services, const sdk::Call& call) {
    auto qname = qname_parameter(call, "qname");
    if (!qname) return qname.error();
    const std::string present = sdk::text_member(call.record().fields, member::kQName);
    if (present == kRootQName || present == kUsersQName) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.qname_reserved",
                               fmt::format("the server finds the node by its QName {}", present));
    }
    return set_kept_member(services, call, {{member::kQName, *qname}});
}

sdk::Result<sdk::Reply> change_type(Services& services, const sdk::Call& call) {
    auto type = qname_parameter(call, "type");
    if (!type) return type.error();
    if (is_association(call.record().fields)) {
        return sdk::make_error(
            {{"type", "nodes.association_type_fixed", "an association keeps its type"}});
    }
    return set_kept_member(services, call, {{member::kType, *type}});
}

std::string letters_and_digits(std::string_view title) {
    std::string found;
    for (const char c : sdk::lower_case(title)) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) found += c;
    }
    return found;
}

/// 60 bits: nobody meets a name that is taken.
std::string random_ending() {
    std::random_device device;
    std::uniform_int_distribution<std::uint64_t> bits(0, (std::uint64_t{1} << 60U) - 1);
    return fmt::format("{:015x}", bits(device));
}

sdk::Result<sdk::Reply> generate_qname(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const sdk::Json& node = call.body();
    std::string name =
        letters_and_digits(node.is_object() ? sdk::text_member(node, "title") : std::string());
    if (name.empty()) name = "node";
    auto reads_all = content->reads_all();
    if (!reads_all) return reads_all.error();
    for (std::size_t number = 0;; ++number) {
        // Counting up would tell how many names are taken by nodes that the caller does not see.
        const std::string ending = *reads_all ? std::to_string(number) : random_ending();
        const std::string qname = fmt::format("custom:{}{}", name, ending);
        auto taken = content->node(qname);
        if (taken) continue;
        if (!sdk::is_missing(taken.error())) return taken.error();
        return sdk::Reply::json({{member::kQName, qname}});
    }
}

}  // namespace

sdk::Actions node_feature_actions() {
    sdk::Actions actions{{.name = "features",
                          .method = "GET",
                          .run = operation<&list_features>(),
                          .answers = sdk::shape::map()},
                         {.name = "features/{featureId}",
                          .method = "GET",
                          .run = operation<&read_feature>(),
                          .answers = sdk::shape::map()},
                         {.name = "features/{featureId}",
                          .method = "DELETE",
                          .permission = sdk::Permission::update,
                          .run = operation<&remove_feature>(),
                          .urgent = true,
                          .answers = written_node()}};
    for (const char* method : {"POST", "PUT"}) {
        actions.push_back({.name = "features/{featureId}",
                           .method = method,
                           .permission = sdk::Permission::update,
                           .run = operation<&set_feature>(),
                           .slow = true,
                           .body = sdk::BodyUse::record,
                           .takes = sdk::shape::map(),
                           .answers = written_node()});
        actions.push_back({.name = "change_qname",
                           .method = method,
                           .permission = sdk::Permission::update,
                           .run = operation<&change_qname>(),
                           .parameters = {{"qname", true}},
                           .answers = written_node()});
        actions.push_back({.name = "change_type",
                           .method = method,
                           .permission = sdk::Permission::update,
                           .run = operation<&change_type>(),
                           .parameters = {{"type", true}},
                           .answers = written_node()});
    }
    return actions;
}

sdk::Actions branch_qname_actions() {
    return {{.name = "qnames/generate",
             .run = operation<&generate_qname>(),
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = sdk::shape::object({{member::kQName, sdk::shape::text()}})}};
}

}  // namespace stele::nodes
