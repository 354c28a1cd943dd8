#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "definition/schema_parts.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxParts = 300;

void add_references(const SchemaPart& part, std::vector<std::string>& wanted) {
    wanted.insert(wanted.end(), part.chain.begin(), part.chain.end());
    const std::vector<std::string> referred = referred_definitions(part.schema);
    wanted.insert(wanted.end(), referred.begin(), referred.end());
}

}  // namespace

sdk::Result<void> load_schema_parts(const BranchContent& content, std::string_view qname,
                                    SchemaParts& parts) {
    std::vector<std::string> wanted{std::string(qname)};
    for (const auto& [name, part] : parts)
        add_references(part, wanted);
    while (!wanted.empty()) {
        const std::string next = std::move(wanted.back());
        wanted.pop_back();
        if (parts.contains(next)) continue;
        auto chain = definition_chain(content, next);
        if (!chain) return chain.error();
        if (chain->empty()) continue;
        SchemaPart part{chain->front()->fields, {}};
        for (const auto& definition : *chain)
            part.chain.push_back(sdk::text_member(definition->fields, member::kQName));
        add_references(part, wanted);
        parts.emplace(next, std::move(part));
        if (parts.size() <= kMaxParts) continue;
        return sdk::make_error(
            {{member::kType, "nodes.schema_too_large",
              fmt::format("{} refers to more than {} definitions", qname, kMaxParts)}});
    }
    return {};
}

}  // namespace stele::nodes
