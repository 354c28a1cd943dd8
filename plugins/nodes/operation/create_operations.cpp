#include "operation/create_operations.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "attachment/multipart_nodes.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "job/index_job.hpp"

namespace stele::nodes {

namespace {

/// Folders that one call makes below one another: each is looked at for all below it.
constexpr std::size_t kDeepestFolder = 100;

/// A JSON body of nodes that is longer should come in several requests.
constexpr std::size_t kLongestBody = 64 * 1024 * 1024;
constexpr std::size_t kMostNodes = 10'000;
constexpr char kTemplate[] = "{document.id}";

/// Where a new node goes (docs/specification/nodes.md 7.2).
struct Placement {
    std::string root;
    std::optional<std::string> folder;
    std::string file_name;
    std::string association_type;
};

std::string filled(std::string_view text, const std::string& id) {
    std::string whole;
    while (true) {
        const std::size_t at = text.find(kTemplate);
        whole += text.substr(0, at);
        if (at == std::string_view::npos) return whole;
        whole += id;
        text.remove_prefix(at + sizeof kTemplate - 1);
    }
}

Placement placement_of(const Parameters& parameters, const sdk::Json& node) {
    const auto text = [&parameters](const char* name) {
        return parameters(name).value_or(std::string());
    };
    Placement placement;
    placement.root = text("rootNodeId");
    if (placement.root.empty()) placement.root = kRootAlias;
    placement.association_type = text("associationType");
    if (placement.association_type.empty())
        placement.association_type = text("associationTypeString");
    if (placement.association_type.empty()) placement.association_type = association::kChild;
    placement.file_name = text("fileName");
    for (const std::string& folder :
         {sdk::text_member(node, "_parentFolderPath"), text("parentFolderPath")}) {
        if (!folder.empty()) placement.folder = folder;
    }
    const std::string file_path = text("filePath");
    if (file_path.empty()) return placement;
    const std::size_t slash = file_path.rfind('/');
    placement.folder = slash == std::string::npos ? "/" : file_path.substr(0, slash + 1);
    if (placement.file_name.empty())
        placement.file_name = slash == std::string::npos ? file_path : file_path.substr(slash + 1);
    return placement;
}

sdk::Result<void> place_node(const BranchContent& content, const sdk::Document& node,
                             const Placement& placement) {
    if (!placement.folder) return {};
    auto fits = check_association_type(placement.association_type, "associationType");
    if (!fits) return fits;
    auto root = content.readable_node(placement.root);
    if (!root) {
        return sdk::is_missing(root.error())
                   ? sdk::invalid_parameter("rootNodeId", "names no node of the branch")
                   : root.error();
    }
    const auto segments = split_path(filled(*placement.folder, node.id));
    if (segments.size() > kDeepestFolder) {
        return sdk::invalid_parameter(
            "parentFolderPath", "may have at most " + std::to_string(kDeepestFolder) + " folders");
    }
    auto folder = content.make_folders(*root, segments);
    if (!folder) return folder.error();
    // A member is put into it; any other association changes it, as an associate does.
    if (placement.association_type != association::kChild) {
        if (auto may = content.require(*folder, sdk::Permission::update); !may) return may;
    }
    auto joined = content.associate({.source = folder->id,
                                     .target = node.id,
                                     .type = placement.association_type,
                                     .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return {};
}

/// Takes out what a client cannot set, and puts in what the file name says.
void prepare_fields(sdk::Json& fields, const Placement& placement) {
    for (const char* name : {"_doc", "_parentFolderPath", member::kIsAssociation})
        fields.erase(name);
    if (placement.file_name.empty()) return;
    if (sdk::text_member(fields, "title").empty()) fields["title"] = placement.file_name;
    sdk::Json& features = fields[member::kFeatures];
    if (!features.is_object()) {
        features = {{feature::kAudit, sdk::Json::object()},
                    {feature::kTitled, sdk::Json::object()},
                    {feature::kIndexable, sdk::Json::object()}};
    }
    features[feature::kFilename] = {{"filename", placement.file_name}};
}

/// Writes the id into the name where the name is a template with it.
sdk::Result<sdk::Document> fill_name(const BranchContent& content, sdk::Document node,
                                     const Placement& placement) {
    if (placement.file_name.find(kTemplate) == std::string::npos) return node;
    const std::string name = filled(placement.file_name, node.id);
    sdk::Json features = node.fields[member::kFeatures];
    features[feature::kFilename] = {{"filename", name}};
    sdk::Json members = {{member::kFeatures, features}};
    if (sdk::text_member(node.fields, "title") == placement.file_name) members["title"] = name;
    return content.context().documents().patch(content.nodes(), node.id, members);
}

sdk::Result<std::string> whole_body(const sdk::Call& call) {
    std::string body;
    std::string piece;
    while (true) {
        if (auto read = call.upload().read(piece); !read) return read.error();
        if (piece.empty()) return body;
        if (body.size() + piece.size() > kLongestBody) {
            return sdk::make_error(sdk::ErrorKind::too_large, "node.body_too_large",
                                   "a JSON body of nodes may have 64 MiB; send several");
        }
        body += piece;
    }
}

Parameters parameters_of(const sdk::Call& call) {
    return [&call](std::string_view name) { return call.parameter(name); };
}

sdk::Result<sdk::Reply> create_many(const BranchContent& content, const sdk::Call& call,
                                    const sdk::Json& bodies) {
    if (bodies.size() > kMostNodes)
        return sdk::invalid_parameter("body", "may hold at most 10000 nodes");
    sdk::Json rows = sdk::Json::array();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        auto made = create_node(content, parameters_of(call), bodies[i]);
        if (!made) {
            sdk::Error error = made.error();
            const std::string index = std::to_string(i);
            error.message = "node " + index + ": " + error.message;
            for (sdk::Violation& violation : error.violations)
                violation.path = index + "." + violation.path;
            return error;
        }
        rows.push_back(std::move(made->fields));
    }
    const std::size_t count = rows.size();
    return sdk::Reply::page(rows, count, 0);
}

sdk::Result<sdk::Reply> create(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (sdk::has_form_body(call)) {
        auto made = create_nodes_of_form(
            *content, call, [&content](sdk::Json fields, const sdk::FormBody& form) {
                const Parameters parameters = [&form](std::string_view name) {
                    return form.parameter(name);
                };
                return create_node(*content, parameters, std::move(fields));
            });
        if (!made) return made;
        if (auto started = start_index_job(*content); !started) return started.error();
        return made;
    }
    auto text = whole_body(call);
    if (!text) return text.error();
    auto body = sdk::parse_json(*text);
    if (!body) return body.error();
    if (body->is_array()) return create_many(*content, call, *body);
    auto made = create_node(*content, parameters_of(call), std::move(*body));
    if (!made) return made.error();
    return sdk::Reply::status(made->fields);
}

}  // namespace

sdk::Result<sdk::Document> create_node(const BranchContent& content, const Parameters& parameters,
                                       sdk::Json fields) {
    if (!fields.is_object()) {
        return sdk::make_error({{"body", "body.not_an_object", "a node must be a JSON object"}});
    }
    const Placement placement = placement_of(parameters, fields);
    prepare_fields(fields, placement);
    auto made = content.create(std::move(fields));
    if (!made) return made;
    auto named = fill_name(content, std::move(*made), placement);
    if (!named) return named;
    if (auto placed = place_node(content, *named, placement); !placed) return placed.error();
    return named;
}

sdk::Action create_action() {
    return {.name = "",
            .scope = sdk::ActionScope::collection,
            .permission = sdk::Permission::create_subobjects,
            .run = operation<&create>(),
            .parameters = {{"rootNodeId"},
                           {"parentFolderPath"},
                           {"filePath"},
                           {"fileName"},
                           {"associationType"},
                           {"associationTypeString"}},
            .array_body = true,
            .streamed_body = true,
            .body = sdk::BodyUse::record};
}

}  // namespace stele::nodes
