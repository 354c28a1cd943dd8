#include "graph/new_node.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"

namespace stele::nodes {

namespace {

/// Folders that one call makes below one another: each is looked at for all below it.
constexpr std::size_t kMaxFolderDepth = 100;
constexpr char kTemplate[] = "{document.id}";

constexpr char kRootNodeId[] = "rootNodeId";
constexpr char kParentFolderPath[] = "parentFolderPath";
constexpr char kFilePath[] = "filePath";
constexpr char kFileNameParameter[] = "fileName";
constexpr char kAssociationType[] = "associationType";
constexpr char kAssociationTypeString[] = "associationTypeString";
constexpr char kParentMember[] = "_parentFolderPath";

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

std::string text_of(const sdk::Parameters& parameters, const char* name) {
    return parameters(name).value_or(std::string());
}

/// The folder and the name that a create says.
struct FileAddress {
    std::optional<std::string> folder;
    std::string file_name;
};

FileAddress address_of(const sdk::Parameters& parameters, const sdk::Json& node) {
    FileAddress address{{}, text_of(parameters, kFileNameParameter)};
    for (const std::string& folder :
         {sdk::text_member(node, kParentMember), text_of(parameters, kParentFolderPath)}) {
        if (!folder.empty()) address.folder = folder;
    }
    const std::string path = text_of(parameters, kFilePath);
    if (path.empty()) return address;
    const std::size_t slash = path.rfind('/');
    address.folder = slash == std::string::npos ? "/" : path.substr(0, slash + 1);
    if (address.file_name.empty())
        address.file_name = slash == std::string::npos ? path : path.substr(slash + 1);
    return address;
}

void put_name(const std::string& name, sdk::Json& fields) {
    if (sdk::text_member(fields, "title").empty()) fields["title"] = name;
    sdk::Json& features = fields[member::kFeatures];
    if (!features.is_object()) {
        features = {{feature::kAudit, sdk::Json::object()},
                    {feature::kTitled, sdk::Json::object()},
                    {feature::kIndexable, sdk::Json::object()}};
    }
    features[feature::kFilename] = {{"filename", name}};
}

/// Writes the id into the name that is a template with it.
sdk::Result<sdk::Document> fill_name(const BranchContent& content, const sdk::Document& node,
                                     const std::string& file_name) {
    const std::string name = filled(file_name, node.id);
    sdk::Json features = node.fields.at(member::kFeatures);
    features[feature::kFilename] = {{"filename", name}};
    sdk::Json members = {{member::kFeatures, features}};
    if (sdk::text_member(node.fields, "title") == file_name) members["title"] = name;
    return content.context().documents().patch(content.nodes(), node.id, members);
}

sdk::Result<void> put_below(const BranchContent& content, const sdk::Document& node,
                            const sdk::Json& where) {
    std::string type = sdk::text_member(where, kAssociationType);
    if (type.empty()) type = association::kChild;
    if (auto fits = check_association_type(type, kAssociationType); !fits) return fits;
    const std::string start = sdk::text_member(where, kRootNodeId);
    auto root = content.readable_node(start.empty() ? kRootAlias : start);
    if (!root) {
        return sdk::is_missing(root.error())
                   ? sdk::invalid_parameter(kRootNodeId, "names no node of the branch")
                   : root.error();
    }
    const auto segments = split_path(filled(sdk::text_member(where, kParentFolderPath), node.id));
    if (segments.size() > kMaxFolderDepth) {
        return sdk::invalid_parameter(
            kParentFolderPath, "may have at most " + std::to_string(kMaxFolderDepth) + " folders");
    }
    auto folder = content.make_folders(*root, segments);
    if (!folder) return folder.error();
    // A member is put into it; any other association changes it, as an associate does.
    if (type != association::kChild) {
        if (auto may = content.require(*folder, sdk::Permission::update); !may) return may;
    }
    auto joined = content.associate({.source = folder->id,
                                     .target = node.id,
                                     .type = std::move(type),
                                     .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return {};
}

}  // namespace

std::vector<sdk::Parameter> placement_parameters() {
    return {{kRootNodeId},        {kParentFolderPath}, {kFilePath},
            {kFileNameParameter}, {kAssociationType},  {kAssociationTypeString}};
}

sdk::Json locate_node(const sdk::Parameters& parameters, sdk::Json& fields) {
    const FileAddress address = address_of(parameters, fields);
    for (const char* name : {"_doc", kParentMember, member::kIsAssociation})
        fields.erase(name);
    sdk::Json where;
    if (!address.file_name.empty()) {
        put_name(address.file_name, fields);
        if (address.file_name.find(kTemplate) != std::string::npos)
            where[kFileNameParameter] = address.file_name;
    }
    // Without a folder nothing else says where it goes.
    if (!address.folder) return where;
    where[kParentFolderPath] = *address.folder;
    where[kRootNodeId] = text_of(parameters, kRootNodeId);
    const std::string type = text_of(parameters, kAssociationType);
    where[kAssociationType] = type.empty() ? text_of(parameters, kAssociationTypeString) : type;
    return where;
}

sdk::Result<std::optional<sdk::Document>> place_node(const BranchContent& content,
                                                     const sdk::Document& node,
                                                     const sdk::Json& where) {
    std::optional<sdk::Document> named;
    const std::string file_name = sdk::text_member(where, kFileNameParameter);
    if (!file_name.empty()) {
        auto filled_in = fill_name(content, node, file_name);
        if (!filled_in) return filled_in.error();
        named = *std::move(filled_in);
    }
    if (!where.contains(kParentFolderPath)) return named;
    if (auto placed = put_below(content, named ? *named : node, where); !placed)
        return placed.error();
    return named;
}

sdk::Result<sdk::Document> create_node(const BranchContent& content,
                                       const sdk::Parameters& parameters, sdk::Json fields) {
    const sdk::Json where = locate_node(parameters, fields);
    auto made = content.create(std::move(fields));
    if (!made || where.is_null()) return made;
    auto placed = place_node(content, *made, where);
    if (!placed) return placed.error();
    return *placed ? **std::move(placed) : *std::move(made);
}

}  // namespace stele::nodes
