#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/services/node_copies.hpp>
#include <stele/sdk/text.hpp>

#include "branch/vocabulary.hpp"
#include "job/copy_rules.hpp"
#include "job/node_jobs.hpp"

namespace stele::nodes {

namespace {

/// What a chain of a copy names (docs/specification/nodes.md 18.2): objects from the platform
/// inwards.
struct CopyChain {
    sdk::Json address = sdk::Json::object();
    std::string node;
};

sdk::Error chain_unfit(const char* name, const char* problem) {
    return sdk::make_error({{name, "nodes.copy_chain_unfit", std::string(name) + ' ' + problem}});
}

/// Associations are nodes of their branch under either word.
bool is_node_word(std::string_view type) {
    return type == kNodeType || type == kAssociationWord;
}

/// Takes what a link says of its place by its reference, which wins over the links around it
/// (docs/specification/merge_and_transfer.md 4.2): clients name the branch that wrote a node last,
/// and by the reference the one on which they see it. False for text that is no such reference.
bool take_reference(std::string_view reference, std::string_view type, CopyChain& found) {
    constexpr std::string_view kBehindWord = "://";
    const std::size_t end = std::min(reference.find(kBehindWord), reference.size());
    const std::string_view word = reference.substr(0, end);
    if (word != type && !(is_node_word(word) && is_node_word(type))) return false;
    std::string_view rest = reference.substr(std::min(end + kBehindWord.size(), reference.size()));
    const std::string_view platform = sdk::take_until(rest, '/');
    const std::string_view repository = sdk::take_until(rest, '/');
    const std::string_view branch = sdk::take_until(rest, '/');
    const std::string_view node = sdk::take_until(rest, '/');
    const bool has_node = is_node_word(type);
    const bool has_branch = type == kBranchType || has_node;
    if (platform.empty() || repository.empty() || branch.empty() == has_branch ||
        node.empty() == has_node || !rest.empty())
        return false;
    found.address[kRepositoryId] = repository;
    if (has_branch) found.address[kBranchId] = branch;
    if (has_node) found.node = node;
    return true;
}

sdk::Result<CopyChain> read_chain(const sdk::Json& body, const char* name) {
    const auto chain = body.find(name);
    if (chain == body.end() || !chain->is_array() || chain->empty())
        return chain_unfit(name, "must be an array of objects with typeId and id");
    CopyChain found;
    for (const sdk::Json& link : *chain) {
        const std::string type = sdk::text_member(link, "typeId");
        const std::string id = sdk::text_member(link, "id");
        if (type.empty() || id.empty())
            return chain_unfit(name, "must be an array of objects with typeId and id");
        if (type == kRepositoryType) found.address[kRepositoryId] = id;
        if (type == kBranchType) found.address[kBranchId] = id;
        if (is_node_word(type)) found.node = id;
        const std::string reference = sdk::text_member(link, "ref");
        const bool is_content =
            type == kRepositoryType || type == kBranchType || is_node_word(type);
        if (!is_content || reference.empty() || take_reference(reference, type, found)) continue;
        return chain_unfit(name, "has a ref that is no reference of its typeId");
    }
    const std::string last = sdk::text_member(chain->back(), "typeId");
    const bool ends_in_content =
        is_node_word(last) || last == kBranchType || last == kRepositoryType;
    if (!ends_in_content || !found.address.contains(kRepositoryId))
        return chain_unfit(name, "must lead to a node or branch of a repository");
    return found;
}

/// `POST /tools/copy`. Rights are those of whoever started the job, looked at when it runs.
sdk::Result<sdk::Reply> copy_chains(Services& services, const sdk::Call& call) {
    auto source = read_chain(call.body(), "sources");
    if (!source) return source.error();
    if (source->node.empty()) return chain_unfit("sources", "must end in a node or association");
    auto target = read_chain(call.body(), "targets");
    if (!target) return target.error();
    const auto given = call.body().find("configuration");
    const sdk::Json configuration =
        given != call.body().end() && given->is_object() ? *given : sdk::Json::object();
    auto settings = copy_settings(configuration);
    if (!settings) return settings.error();
    NodeOrder order{kCopyOrder, *std::move(settings)};
    order.input["source"] = source->address;
    order.input["target"] = target->address;
    order.input[kNodeId] = source->node;
    if (!target->node.empty()) order.input["targetNodeId"] = target->node;
    if (const auto strategy = call.parameter(kStrategy); strategy && !strategy->empty())
        order.input[kStrategy] = *strategy;
    // What is wrong with it is told at once.
    if (auto rules = copy_rules(order.input, 0); !rules) return rules.error();
    auto reply = scheduled(services, call, order);
    if (!reply) return reply.error();
    if (*reply) return std::move(**reply);
    return start_job(services, call, order);
}

class ChainCopies final : public sdk::NodeCopies {
public:
    explicit ChainCopies(Services& services) : services_(services) {}
    sdk::Result<sdk::Reply> copy(const sdk::Call& call) override {
        return copy_chains(services_, call);
    }

private:
    Services& services_;
};

}  // namespace

void define_copy_jobs(Services& services) {
    define_node_jobs(services);
    services.registrar.publish<sdk::NodeCopies>(
        services.registrar.own(std::make_unique<ChainCopies>(services)));
}

}  // namespace stele::nodes
