#include "operation/node_shapes.hpp"

#include <utility>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

using sdk::Shape;
using sdk::shape::array;
using sdk::shape::boolean;
using sdk::shape::both;
using sdk::shape::object;
using sdk::shape::optional;
using sdk::shape::text;

namespace {

Shape association_members() {
    return object({optional(member::kType, text()), optional(member::kIsAssociation, boolean()),
                   optional(member::kSource, text()), optional(member::kSourceType, text()),
                   optional("source_changeset", text()), optional(member::kTarget, text()),
                   optional(member::kTargetType, text()), optional("target_changeset", text()),
                   optional(member::kDirectionality, text({kDirected, kUndirected}))});
}

}  // namespace

Shape node_shape() {
    return sdk::shape::record(kNodeType);
}

Shape written_node() {
    return sdk::shape::written(kNodeType);
}

Shape node_body() {
    return sdk::shape::record(std::string(kNodeType) + "Body");
}

Shape association_shape() {
    return both(node_shape(), association_members());
}

Shape written_association() {
    return both(written_node(), association_members());
}

Shape patch_shape() {
    return array(object({{"op", text({"add", "remove", "replace", "move", "copy", "test"})},
                         {"path", text()},
                         optional("from", text()),
                         optional("value", sdk::shape::any())}));
}

Shape walk_shape() {
    return object({optional("associations", sdk::shape::map(text(direction_names()))),
                   optional("depth", sdk::shape::integer()),
                   optional("filter", text({"ALL", "ALL_BUT_START_NODE"})),
                   optional("types", array(text()))});
}

Shape ids_shape() {
    return array(text());
}

sdk::ShapeMember ids_member() {
    return {"_docs", ids_shape()};
}

Shape id_or_ids() {
    return sdk::shape::either({ids_shape(), text()});
}

Shape cut(const Shape& reply) {
    return both(reply, object({optional("truncated", boolean()), optional("bound", text())}));
}

Shape cut_page(const Shape& row) {
    return cut(sdk::shape::page(row));
}

Shape page_of_nodes() {
    return cut_page(node_shape());
}

const std::vector<std::string>& direction_names() {
    static const std::vector<std::string> kNames{"ANY", "INCOMING", "OUTGOING", "MUTUAL"};
    return kNames;
}

std::vector<sdk::Parameter> with_projection(std::vector<sdk::Parameter> own) {
    for (const char* name : {"full", "metadata"})
        own.push_back({name, false, sdk::FieldKind::boolean});
    return own;
}

std::vector<sdk::Parameter> with_row_parameters(std::vector<sdk::Parameter> own) {
    own.push_back({"paths", false, sdk::FieldKind::boolean});
    return with_projection(std::move(own));
}

}  // namespace stele::nodes
