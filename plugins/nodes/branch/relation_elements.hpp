#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/documents.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

class BranchContent;
class Changes;

/// What a property says that stands for associations (relation/relations.hpp): an object, or each
/// of an array, names a node by `id`, or by the end of `ref`. A property is named by its path, the
/// members that lead to it with slashes between.

inline constexpr char kElementId[] = "id";
inline constexpr char kElementRef[] = "ref";
/// What the server tells of the node beside them.
inline constexpr char kElementTitle[] = "title";
inline constexpr char kElementQName[] = "qname";
inline constexpr char kElementType[] = "typeQName";

/// Whether an association stands for a property of its source. The server alone makes such ones.
bool is_relation(const sdk::Json& association);
/// Makes one for the property at `path`, which names the target already.
sdk::Result<sdk::Document> relate(const BranchContent& content, const sdk::Document& source,
                                  const sdk::Document& target, const std::string& type,
                                  std::string_view path);
/// The property that it stands for.
std::string relation_path(const sdk::Json& association);

/// Whether a node says anything that could be the value of such a property.
bool may_have_elements(const sdk::Json& node);
/// Null where the node has no such member.
const sdk::Json* property_at(const sdk::Json& node, std::string_view path);
sdk::Json* property_at(sdk::Json& node, std::string_view path);

/// The elements of a value; those of null, and of a missing one, are none.
std::vector<const sdk::Json*> elements_of(const sdk::Json* value);
/// The id of the node that an element names; empty where it names none.
std::string named_node(const sdk::Json& element);
/// What the properties of a node name: each is looked through once, however much is asked of it.
class NamedNodes {
public:
    /// The node outlives it.
    explicit NamedNodes(const sdk::Json& node) : node_(node) {}

    bool contains(const std::string& path, const std::string& target);

private:
    const sdk::Json& node_;
    std::map<std::string, std::set<std::string>> known_;
};

/// Before an association is made, or comes back, because a property stands for it: `too_large`
/// (`nodes.relations_too_many`) where one operation does too much of that, in whatever way.
sdk::Result<void> count_relation(Changes& changes);

/// A failure that says which property it is about.
sdk::Error of_property(std::string_view path, sdk::Error error);

/// Takes what names one of the targets out of the property, or the property away; whether there was
/// anything.
bool erase_elements(sdk::Json& node, std::string_view path, const std::set<std::string>& targets);

/// Makes elements name others than they do, each once: from the ids that they name to those that
/// they shall, of nodes whose references begin with `address`. Whether one has changed.
bool point_elements(sdk::Json& node, std::string_view path,
                    const std::map<std::string, std::string>& others, const std::string& address);

}  // namespace stele::nodes
