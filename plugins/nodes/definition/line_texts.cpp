#include "definition/line_texts.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "definition/definitions.hpp"

namespace stele::nodes {

namespace {

constexpr char kMergeKeyword[] = "_merge";
constexpr char kByLines[] = "lines";
constexpr std::size_t kMaxDepth = 10;
constexpr std::size_t kMaxTexts = 100;
constexpr std::size_t kMaxChain = 20;

std::string pointer_step(const std::string& name) {
    std::string step = "/";
    for (const char byte : name) {
        if (byte == '~')
            step += "~0";
        else if (byte == '/')
            step += "~1";
        else
            step += byte;
    }
    return step;
}

void collect(const sdk::Json& schema, const std::string& above, std::size_t depth,
             std::set<std::string>& found) {
    if (depth == kMaxDepth) return;
    const auto items = schema.find("items");
    if (items != schema.end() && items->is_object()) collect(*items, above, depth + 1, found);
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) return;
    for (const auto& [name, property] : properties->items()) {
        if (found.size() == kMaxTexts) return;
        if (!property.is_object() || name.starts_with('_')) continue;
        const std::string path = above + pointer_step(name);
        if (sdk::text_member(property, kMergeKeyword) == kByLines) found.insert(path);
        collect(property, path, depth + 1, found);
    }
}

}  // namespace

sdk::Result<std::set<std::string>> texts_of_lines(const BranchContent& content,
                                                  std::string_view type) {
    std::set<std::string> found;
    auto chain = definition_chain(content, type, kMaxChain);
    if (!chain) return chain.error();
    for (const auto& definition : *chain)
        collect(definition->fields, {}, 0, found);
    return found;
}

}  // namespace stele::nodes
