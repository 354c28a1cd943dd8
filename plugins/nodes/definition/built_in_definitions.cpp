#include <span>

#include <nlohmann/json.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"

namespace stele::nodes {

namespace {

/// Types that stand beside the prefix `n` and extend `n:node` are exactly these five
/// (docs/specification/nodes.md 22).
constexpr const char* kBuiltInTypes[] = {
    R"json({"_qname": "n:node", "title": "Node", "description": "Any content.",
 "type": "object", "properties": {"title": {"type": "string", "title": "Title"},
  "description": {"type": "string", "title": "Description"}}})json",
    R"json({"_qname": "n:root", "_parent": "n:node", "title": "Root", "description": "The folder that all paths begin in."})json",
    R"json({"_qname": "n:person", "_parent": "n:node", "title": "Person", "description": "Stands for a user on a branch.",
 "properties": {"principal-id": {"type": "string"}, "principal-domain": {"type": "string"},
  "principal-name": {"type": "string"}, "principal-type": {"type": "string", "enum": ["USER"]},
  "principal-email": {"type": "string"}, "firstName": {"type": "string", "title": "First name"},
  "lastName": {"type": "string", "title": "Last name"}, "companyName": {"type": "string", "title": "Company"},
  "email": {"type": "string", "title": "Email"}, "jobTitle": {"type": "string", "title": "Job title"},
  "address": {"type": "string", "title": "Address"}, "city": {"type": "string", "title": "City"},
  "state": {"type": "string", "title": "State"}, "zipcode": {"type": "string", "title": "Zip code"},
  "phoneNumber": {"type": "string", "title": "Phone number"}}})json",
    R"json({"_qname": "n:group", "_parent": "n:node", "title": "Group", "description": "Stands for a group on a branch.",
 "properties": {"principal-id": {"type": "string"}, "principal-domain": {"type": "string"},
  "principal-name": {"type": "string"}, "principal-type": {"type": "string", "enum": ["GROUP"]},
  "principal-email": {"type": "string"}}})json",
    R"json({"_qname": "n:form", "_parent": "n:node", "title": "Form", "description": "How instances of a definition are edited.",
 "properties": {"fields": {"type": "object", "title": "Fields"}}})json",
    R"json({"_qname": "n:list", "_parent": "n:node", "title": "List", "description": "Items in order of creation, found by a key.",
 "properties": {"listKey": {"type": "string", "title": "Key"}, "listItemType": {"type": "string", "title": "Type of the items"}}})json",
    R"json({"_qname": "n:rule", "_parent": "n:node", "title": "Rule", "description": "Conditions and what follows from them.",
 "properties": {"conditions": {"type": "array"}, "actions": {"type": "array"}}})json",
    R"json({"_qname": "n:comment", "_parent": "n:node", "title": "Comment", "description": "What somebody says about a node.",
 "properties": {"body": {"type": "string", "title": "Text"}}})json",
    R"json({"_qname": "n:tag", "_parent": "n:node", "title": "Tag", "description": "A word that nodes are marked with.",
 "properties": {"tag": {"type": "string", "title": "Tag"}}})json",
    R"json({"_qname": "wcm:page", "_parent": "n:node", "title": "Page", "description": "A page of a web site.",
 "properties": {"templates": {"type": "object", "title": "Templates"}, "uris": {"type": "array", "title": "Addresses"}}})json",
    R"json({"_qname": "wcm:template", "_parent": "n:node", "title": "Template", "description": "How pages of a web site look.",
 "properties": {"key": {"type": "string", "title": "Key"}, "path": {"type": "string", "title": "Path"}}})json",
    R"json({"_qname": "workflow:package", "_parent": "n:node", "title": "Package", "description": "What a workflow is about."})json",
    R"json({"_qname": "blog:blog", "_parent": "n:node", "title": "Blog", "description": "A series of posts."})json",
    R"json({"_qname": "blog:post", "_parent": "n:node", "title": "Post", "description": "An entry of a blog.",
 "properties": {"body": {"type": "string", "title": "Text"}}})json",
};

constexpr const char* kBuiltInAssociations[] = {
    R"json({"_qname": "a:linked", "title": "Linked", "description": "Two nodes that have something to do with one another."})json",
    R"json({"_qname": "a:child", "_parent": "a:linked", "title": "Child", "description": "A folder and what lies in it."})json",
    R"json({"_qname": "a:owned", "_parent": "a:linked", "title": "Owned", "description": "What goes when its owner goes."})json",
    R"json({"_qname": "a:copied_from", "_parent": "a:linked", "title": "Copied from", "description": "A copy and its origin."})json",
    R"json({"_qname": "a:created", "_parent": "a:linked", "title": "Created", "description": "A person and what they made."})json",
    R"json({"_qname": "a:updated", "_parent": "a:linked", "title": "Updated", "description": "A person and what they changed."})json",
    R"json({"_qname": "a:deleted", "_parent": "a:linked", "title": "Deleted", "description": "A person and what they deleted."})json",
    R"json({"_qname": "a:has_role", "_parent": "a:linked", "title": "Has role", "description": "A person and what they hold a role on.",
 "properties": {"role-key": {"type": "string", "title": "Role"}}})json",
    R"json({"_qname": "a:has_form", "_parent": "a:linked", "title": "Has form", "description": "A definition and a form for it.",
 "properties": {"form-key": {"type": "string", "title": "Key"}}})json",
    R"json({"_qname": "a:has_lock", "_parent": "a:linked", "title": "Has lock", "description": "A node and its lock."})json",
    R"json({"_qname": "a:has_mount", "_parent": "a:linked", "title": "Has mount", "description": "A node and its mount."})json",
    R"json({"_qname": "a:has_translation", "_parent": "a:linked", "title": "Has translation", "description": "A master and a translation.",
 "properties": {"locale": {"type": "string", "title": "Locale"}, "edition": {"type": "string", "title": "Edition"}}})json",
    R"json({"_qname": "a:has_behavior", "_parent": "a:linked", "title": "Has behavior", "description": "A node or definition and a rule for it."})json",
    R"json({"_qname": "a:has_comment", "_parent": "a:linked", "title": "Has comment", "description": "A node and a comment on it."})json",
    R"json({"_qname": "a:has_tag", "_parent": "a:linked", "title": "Has tag", "description": "A node and a tag on it."})json",
};

constexpr const char* kBuiltInFeatures[] = {
    R"json({"_qname": "f:audit", "title": "Audit", "description": "What is done with the node is recorded."})json",
    R"json({"_qname": "f:titled", "title": "Titled", "description": "The node has a title and a description."})json",
    R"json({"_qname": "f:indexable", "title": "Indexable", "description": "Searches find the node."})json",
    R"json({"_qname": "f:filename", "title": "File name", "description": "The name of the node in its folder.",
 "properties": {"filename": {"type": "string", "title": "File name"}}})json",
    R"json({"_qname": "f:container", "title": "Container", "description": "The node is a folder."})json",
    R"json({"_qname": "f:multilingual", "title": "Multilingual", "description": "The node has translations.",
 "properties": {"edition": {"type": "string", "title": "Edition that readers get"}}})json",
    R"json({"_qname": "f:translation", "title": "Translation", "description": "The node is a translation of another.",
 "properties": {"master-node-id": {"type": "string"}, "locale": {"type": "string"}, "edition": {"type": "string"}}})json",
    R"json({"_qname": "f:locale", "title": "Locale", "description": "The language of the node.",
 "properties": {"locale": {"type": "string", "title": "Locale"}}})json",
    R"json({"_qname": "f:geolocation", "title": "Geolocation", "description": "A place on the earth.",
 "properties": {"latitude": {"type": "number", "minimum": -180, "maximum": 180},
  "longitude": {"type": "number", "minimum": -180, "maximum": 180}}})json",
    R"json({"_qname": "f:taggable", "title": "Taggable", "description": "The node can be tagged.",
 "properties": {"tags": {"type": "array", "items": {"type": "string"}}}})json",
    R"json({"_qname": "f:previewable", "title": "Previewable", "description": "Pictures of the node's attachments are made.",
 "properties": {"previews": {"type": "object"}}})json",
    R"json({"_qname": "f:thumbnailable", "title": "Thumbnailable", "description": "A small picture of the node's attachment is made.",
 "properties": {"mimetype": {"type": "string"}, "source": {"type": "string"}, "width": {"type": "integer"}, "height": {"type": "integer"}}})json",
    R"json({"_qname": "f:renditionable", "title": "Renditionable", "description": "The node is rendered by templates.",
 "properties": {"renditions": {"type": "object"}}})json",
    R"json({"_qname": "f:rendition", "title": "Rendition", "description": "The node was rendered from another."})json",
    R"json({"_qname": "f:renditioned", "title": "Renditioned", "description": "Others were rendered from the node."})json",
    R"json({"_qname": "f:behavior", "title": "Behavior", "description": "The node is a rule or a script."})json",
    R"json({"_qname": "f:behavior-binding", "title": "Behavior binding", "description": "When a behavior runs.",
 "properties": {"policy": {"type": "string"}, "property": {"type": "string"}, "scope": {"type": "integer"}}})json",
    R"json({"_qname": "f:non-cyclic", "title": "Non-cyclic", "description": "Associations of the type form no circle."})json",
    R"json({"_qname": "f:propagates-authorities", "title": "Propagates authorities", "description": "Rights pass from source to target."})json",
    R"json({"_qname": "f:rates", "title": "Rates", "description": "Totals of ratings.",
 "properties": {"ratingTotalCount": {"type": "number"}, "ratingTotalValue": {"type": "number"}, "ratingAverageValue": {"type": "number"}}})json",
    R"json({"_qname": "f:stats-sum-counter", "title": "Sum counter", "description": "Sums a counter along an association.",
 "properties": {"fromCounter": {"type": "string"}, "toCounter": {"type": "string"}, "from": {"type": "string"}}})json",
    R"json({"_qname": "f:extractable", "title": "Extractable", "description": "Properties are read from attachments."})json",
    R"json({"_qname": "f:watermarkable", "title": "Watermarkable", "description": "Pictures get a watermark."})json",
    R"json({"_qname": "f:statistics", "title": "Statistics", "description": "Associations of the node are counted."})json",
    R"json({"_qname": "f:lockable", "title": "Lockable", "description": "The node can be locked."})json",
};

/// Their descriptions are no content that anybody searches for.
sdk::Json unsearched_features() {
    return {{feature::kAudit, sdk::Json::object()},
            {feature::kTitled, sdk::Json::object()},
            {feature::kIndexable, {{"enabled", false}}}};
}

void add_definitions(std::span<const char* const> definitions, const char* type,
                     std::vector<sdk::Json>& found) {
    for (const char* definition : definitions) {
        sdk::Json fields = {{member::kType, type}, {member::kFeatures, unsearched_features()}};
        fields.update(sdk::Json::parse(definition));
        fields["type"] = "object";
        found.push_back(std::move(fields));
    }
}

std::vector<sdk::Json> make_definitions() {
    std::vector<sdk::Json> found;
    add_definitions(kBuiltInTypes, type::kDefinedType, found);
    add_definitions(kBuiltInAssociations, type::kDefinedAssociation, found);
    add_definitions(kBuiltInFeatures, type::kDefinedFeature, found);
    return found;
}

}  // namespace

const std::vector<sdk::Json>& built_in_definitions() {
    static const std::vector<sdk::Json> definitions = make_definitions();
    return definitions;
}

}  // namespace stele::nodes
