#include <nlohmann/json.hpp>

#include "content/definitions.hpp"

namespace stele::nodes {

namespace {

/// Types that stand beside the prefix `n` and extend `n:node` are exactly these five
/// (contract/nodes.md 22).
constexpr char kTypes[] = R"json([
{"_qname": "n:node", "title": "Node", "description": "Any content.",
 "type": "object", "properties": {"title": {"type": "string", "title": "Title"},
  "description": {"type": "string", "title": "Description"}}},
{"_qname": "n:root", "_parent": "n:node", "title": "Root", "description": "The folder that all paths begin in."},
{"_qname": "n:person", "_parent": "n:node", "title": "Person", "description": "Stands for a user on a branch.",
 "properties": {"principal-id": {"type": "string"}, "principal-domain": {"type": "string"},
  "principal-name": {"type": "string"}, "principal-type": {"type": "string", "enum": ["USER"]},
  "principal-email": {"type": "string"}, "firstName": {"type": "string", "title": "First name"},
  "lastName": {"type": "string", "title": "Last name"}, "companyName": {"type": "string", "title": "Company"},
  "email": {"type": "string", "title": "Email"}, "jobTitle": {"type": "string", "title": "Job title"},
  "address": {"type": "string", "title": "Address"}, "city": {"type": "string", "title": "City"},
  "state": {"type": "string", "title": "State"}, "zipcode": {"type": "string", "title": "Zip code"},
  "phoneNumber": {"type": "string", "title": "Phone number"}}},
{"_qname": "n:group", "_parent": "n:node", "title": "Group", "description": "Stands for a group on a branch.",
 "properties": {"principal-id": {"type": "string"}, "principal-domain": {"type": "string"},
  "principal-name": {"type": "string"}, "principal-type": {"type": "string", "enum": ["GROUP"]},
  "principal-email": {"type": "string"}}},
{"_qname": "n:form", "_parent": "n:node", "title": "Form", "description": "How instances of a definition are edited.",
 "properties": {"fields": {"type": "object", "title": "Fields"}}},
{"_qname": "n:list", "_parent": "n:node", "title": "List", "description": "Items in order of creation, found by a key.",
 "properties": {"listKey": {"type": "string", "title": "Key"}, "listItemType": {"type": "string", "title": "Type of the items"}}},
{"_qname": "n:rule", "_parent": "n:node", "title": "Rule", "description": "Conditions and what follows from them.",
 "properties": {"conditions": {"type": "array"}, "actions": {"type": "array"}}},
{"_qname": "n:comment", "_parent": "n:node", "title": "Comment", "description": "What somebody says about a node.",
 "properties": {"body": {"type": "string", "title": "Text"}}},
{"_qname": "n:tag", "_parent": "n:node", "title": "Tag", "description": "A word that nodes are marked with.",
 "properties": {"tag": {"type": "string", "title": "Tag"}}},
{"_qname": "wcm:page", "_parent": "n:node", "title": "Page", "description": "A page of a web site.",
 "properties": {"templates": {"type": "object", "title": "Templates"}, "uris": {"type": "array", "title": "Addresses"}}},
{"_qname": "wcm:template", "_parent": "n:node", "title": "Template", "description": "How pages of a web site look.",
 "properties": {"key": {"type": "string", "title": "Key"}, "path": {"type": "string", "title": "Path"}}},
{"_qname": "workflow:package", "_parent": "n:node", "title": "Package", "description": "What a workflow is about."},
{"_qname": "blog:blog", "_parent": "n:node", "title": "Blog", "description": "A series of posts."},
{"_qname": "blog:post", "_parent": "n:node", "title": "Post", "description": "An entry of a blog.",
 "properties": {"body": {"type": "string", "title": "Text"}}}
])json";

constexpr char kAssociations[] = R"json([
{"_qname": "a:linked", "title": "Linked", "description": "Two nodes that have something to do with one another."},
{"_qname": "a:child", "_parent": "a:linked", "title": "Child", "description": "A folder and what lies in it."},
{"_qname": "a:owned", "_parent": "a:linked", "title": "Owned", "description": "What goes when its owner goes."},
{"_qname": "a:copied_from", "_parent": "a:linked", "title": "Copied from", "description": "A copy and its origin."},
{"_qname": "a:created", "_parent": "a:linked", "title": "Created", "description": "A person and what they made."},
{"_qname": "a:updated", "_parent": "a:linked", "title": "Updated", "description": "A person and what they changed."},
{"_qname": "a:deleted", "_parent": "a:linked", "title": "Deleted", "description": "A person and what they deleted."},
{"_qname": "a:has_role", "_parent": "a:linked", "title": "Has role", "description": "A person and what they hold a role on.",
 "properties": {"role-key": {"type": "string", "title": "Role"}}},
{"_qname": "a:has_form", "_parent": "a:linked", "title": "Has form", "description": "A definition and a form for it.",
 "properties": {"form-key": {"type": "string", "title": "Key"}}},
{"_qname": "a:has_lock", "_parent": "a:linked", "title": "Has lock", "description": "A node and its lock."},
{"_qname": "a:has_mount", "_parent": "a:linked", "title": "Has mount", "description": "A node and its mount."},
{"_qname": "a:has_translation", "_parent": "a:linked", "title": "Has translation", "description": "A master and a translation.",
 "properties": {"locale": {"type": "string", "title": "Locale"}, "edition": {"type": "string", "title": "Edition"}}},
{"_qname": "a:has_behavior", "_parent": "a:linked", "title": "Has behavior", "description": "A node or definition and a rule for it."},
{"_qname": "a:has_comment", "_parent": "a:linked", "title": "Has comment", "description": "A node and a comment on it."},
{"_qname": "a:has_tag", "_parent": "a:linked", "title": "Has tag", "description": "A node and a tag on it."}
])json";

constexpr char kFeatures[] = R"json([
{"_qname": "f:audit", "title": "Audit", "description": "What is done with the node is recorded."},
{"_qname": "f:titled", "title": "Titled", "description": "The node has a title and a description."},
{"_qname": "f:indexable", "title": "Indexable", "description": "Searches find the node."},
{"_qname": "f:filename", "title": "File name", "description": "The name of the node in its folder.",
 "properties": {"filename": {"type": "string", "title": "File name"}}},
{"_qname": "f:container", "title": "Container", "description": "The node is a folder."},
{"_qname": "f:multilingual", "title": "Multilingual", "description": "The node has translations.",
 "properties": {"edition": {"type": "string", "title": "Edition that readers get"}}},
{"_qname": "f:translation", "title": "Translation", "description": "The node is a translation of another.",
 "properties": {"master-node-id": {"type": "string"}, "locale": {"type": "string"}, "edition": {"type": "string"}}},
{"_qname": "f:locale", "title": "Locale", "description": "The language of the node.",
 "properties": {"locale": {"type": "string", "title": "Locale"}}},
{"_qname": "f:geolocation", "title": "Geolocation", "description": "A place on the earth.",
 "properties": {"latitude": {"type": "number", "minimum": -180, "maximum": 180},
  "longitude": {"type": "number", "minimum": -180, "maximum": 180}}},
{"_qname": "f:taggable", "title": "Taggable", "description": "The node can be tagged.",
 "properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
{"_qname": "f:previewable", "title": "Previewable", "description": "Pictures of the node's attachments are made.",
 "properties": {"previews": {"type": "object"}}},
{"_qname": "f:thumbnailable", "title": "Thumbnailable", "description": "A small picture of the node's attachment is made.",
 "properties": {"mimetype": {"type": "string"}, "source": {"type": "string"}, "width": {"type": "integer"}, "height": {"type": "integer"}}},
{"_qname": "f:renditionable", "title": "Renditionable", "description": "The node is rendered by templates.",
 "properties": {"renditions": {"type": "object"}}},
{"_qname": "f:rendition", "title": "Rendition", "description": "The node was rendered from another."},
{"_qname": "f:renditioned", "title": "Renditioned", "description": "Others were rendered from the node."},
{"_qname": "f:behavior", "title": "Behavior", "description": "The node is a rule or a script."},
{"_qname": "f:behavior-binding", "title": "Behavior binding", "description": "When a behavior runs.",
 "properties": {"policy": {"type": "string"}, "property": {"type": "string"}, "scope": {"type": "integer"}}},
{"_qname": "f:non-cyclic", "title": "Non-cyclic", "description": "Associations of the type form no circle."},
{"_qname": "f:propagates-authorities", "title": "Propagates authorities", "description": "Rights pass from source to target."},
{"_qname": "f:rates", "title": "Rates", "description": "Totals of ratings.",
 "properties": {"ratingTotalCount": {"type": "number"}, "ratingTotalValue": {"type": "number"}, "ratingAverageValue": {"type": "number"}}},
{"_qname": "f:stats-sum-counter", "title": "Sum counter", "description": "Sums a counter along an association.",
 "properties": {"fromCounter": {"type": "string"}, "toCounter": {"type": "string"}, "from": {"type": "string"}}},
{"_qname": "f:extractable", "title": "Extractable", "description": "Properties are read from attachments."},
{"_qname": "f:watermarkable", "title": "Watermarkable", "description": "Pictures get a watermark."},
{"_qname": "f:statistics", "title": "Statistics", "description": "Associations of the node are counted."},
{"_qname": "f:lockable", "title": "Lockable", "description": "The node can be locked."}
])json";

void add_definitions(const char* table, const char* type, std::vector<sdk::Json>& found) {
    const sdk::Json definitions = sdk::Json::parse(table);
    for (const sdk::Json& definition : definitions) {
        sdk::Json fields = {{"_type", type}};
        fields.update(definition);
        fields["type"] = "object";
        found.push_back(std::move(fields));
    }
}

std::vector<sdk::Json> make_definitions() {
    std::vector<sdk::Json> found;
    add_definitions(kTypes, "d:type", found);
    add_definitions(kAssociations, "d:association", found);
    add_definitions(kFeatures, "d:feature", found);
    return found;
}

}  // namespace

const std::vector<sdk::Json>& built_in_definitions() {
    static const std::vector<sdk::Json> definitions = make_definitions();
    return definitions;
}

}  // namespace stele::nodes
