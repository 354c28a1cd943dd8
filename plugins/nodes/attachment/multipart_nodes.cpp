#include "attachment/multipart_nodes.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include "attachment/attachment_writer.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxNodePartBytes = std::size_t{16} * 1024 * 1024;

struct NewNode {
    sdk::Json fields = sdk::Json::object();
    std::optional<Attachment> attachment;
};

bool is_json_type(std::string_view content_type) {
    const std::string essence = sdk::media_essence(content_type);
    return essence == "application/json" || essence == "text/json" || essence.ends_with("+json");
}

sdk::Result<NewNode> read_node(const BranchContent& content, sdk::FormBody& form,
                               const sdk::FormPart& part, std::size_t index) {
    NewNode node;
    if (!is_json_type(part.content_type)) {
        auto stored =
            store_attachment(content,
                             {.file_name = part.file_name->empty() ? part.name : *part.file_name,
                              .content_type = part.content_type},
                             [&form](std::string& piece) { return form.read(piece); });
        if (!stored) return stored.error();
        node.attachment = std::move(*stored);
        return node;
    }
    auto text = form.read_all(kMaxNodePartBytes);
    if (!text) return text.error();
    auto fields = sdk::parse_json(*text);
    if (!fields) return fields.error();
    if (!fields->is_object()) {
        return sdk::make_error({{fmt::format("part {}", index), "node.part_malformed",
                                 "a part of a JSON type must be an object"}});
    }
    node.fields = std::move(*fields);
    return node;
}

}  // namespace

sdk::Result<sdk::Reply> create_nodes_of_form(const BranchContent& content, const sdk::Call& call,
                                             const MakeNode& make) {
    auto form = sdk::FormBody::open(call);
    if (!form) return form.error();
    std::vector<NewNode> nodes;
    for (;;) {
        auto part = form->next_file();
        if (!part) return part.error();
        if (!*part) break;
        auto node = read_node(content, *form, **part, nodes.size());
        if (!node) return node.error();
        nodes.push_back(std::move(*node));
    }
    sdk::Json rows = sdk::Json::array();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const auto& [name, value] : form->parameters(fmt::format("property{}__", i)))
            nodes[i].fields[name] = value;
        auto made = make(std::move(nodes[i].fields), *form);
        if (made && nodes[i].attachment) {
            const Attachment& attachment = *nodes[i].attachment;
            made = put_attachments(content, *made, {{attachment.id, attachment.to_json()}});
        }
        if (!made) return made.error();
        rows.push_back(std::move(made->fields));
    }
    return sdk::Reply::page(rows, rows.size(), 0);
}

}  // namespace stele::nodes
