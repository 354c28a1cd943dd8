#include "rule_starts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

#include "rule_marks.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

/// Nodes of one job: what fails is tried again as a whole.
constexpr std::size_t kMaxNodes = 100;

}  // namespace

/// Those that the author may READ; of those that are gone, of which rules brought a copy
/// somewhere, whoever may READ their branch.
sdk::Result<RuleStarts::Nodes> RuleStarts::readable(const sdk::PlatformScope& platform,
                                                    const sdk::Principal& author,
                                                    const BoundRule& rule, const Nodes& nodes) {
    auto& known = readable_[{author.qualified_id(), rule.branch}];
    auto looked = services_.operations.read_as(
        platform, author, [&](sdk::Context& context) -> sdk::Result<void> {
            for (const auto& [node, revision] : nodes) {
                if (known.contains(node)) continue;
                auto found = context.documents().read({kNode, "", rule.branch}, node);
                if (!found && !sdk::is_missing(found.error())) return found.error();
                // What is gone cannot be asked any more.
                auto may =
                    sdk::holds(context, found ? found->key : rule.branch, sdk::Permission::read);
                if (!may) return may.error();
                known[node] = *may;
            }
            return {};
        });
    if (!looked) return looked.error();
    Nodes kept;
    for (const auto& [node, revision] : nodes) {
        if (known[node]) kept[node] = revision;
    }
    return kept;
}

sdk::Result<void> RuleStarts::start_jobs(sdk::Context& context, const BoundRule& rule,
                                         std::uint64_t at, const std::vector<std::string>& nodes) {
    auto branch = context.documents().read(rule.branch);
    // With a branch its rules are gone, too.
    if (!branch && sdk::is_missing(branch.error())) return {};
    if (!branch) return branch.error();
    for (std::size_t first = 0; first < nodes.size(); first += kMaxNodes) {
        const std::size_t end = std::min(nodes.size(), first + kMaxNodes);
        const std::vector<std::string> some(nodes.begin() + static_cast<std::ptrdiff_t>(first),
                                            nodes.begin() + static_cast<std::ptrdiff_t>(end));
        sdk::NewJob job{.type = kRuleJob};
        job.input = {{"repositoryId", sdk::text_member(branch->fields, "repositoryId")},
                     {"branchId", branch->id},
                     {"ruleId", rule.rule}};
        job.hidden = {{"branch", sdk::hex_text(rule.branch)}, {"line", rule.line}, {"at", at},
                      {"association", rule.association},      {"rule", rule.rule}, {"nodes", some}};
        auto started = services_.jobs.start(context, job);
        if (!started) return started.error();
    }
    return {};
}

sdk::Result<void> RuleStarts::start(const sdk::PlatformScope& platform,
                                    const sdk::ContentSpace& space, const BoundRule& rule,
                                    const Touches& touches) {
    sdk::Principal author;
    auto found = services_.registrar.run_as_system(
        platform, [&](sdk::Context& context) -> sdk::Result<void> {
            auto principal = find_author(services_, context, touches.author);
            if (!principal) return principal.error();
            author = std::move(*principal);
            return {};
        });
    if (!found && found.error().code == "node_rules.author_unfit") {
        tell_(fmt::format("rule {} does nothing: {}", rule.rule, found.error().message));
        return {};
    }
    if (!found) return found;
    auto nodes = readable(platform, author, rule, touches.nodes);
    if (!nodes && sdk::is_missing(nodes.error())) return {};
    if (!nodes) return nodes.error();
    if (nodes->size() < touches.nodes.size()) {
        tell_(fmt::format("rule {} leaves nodes that {}, who changed it last, may not READ",
                          rule.rule, touches.author));
    }
    if (nodes->empty()) return {};
    return services_.operations.run_as(
        platform, author, [&](sdk::Context& context) -> sdk::Result<void> {
            const marks::BindingName binding{rule.branch, rule.association};
            auto mark = marks::read(context.transaction(), space, binding);
            if (!mark) return mark.error();
            std::vector<std::string> fresh;
            for (const auto& [node, revision] : *nodes) {
                if (revision > *mark) fresh.push_back(node);
            }
            if (fresh.empty()) return {};
            // A later version of the rule may have something to do behind it.
            marks::write(context.transaction(), space, binding, touches.at);
            return start_jobs(context, rule, touches.at, fresh);
        });
}

}  // namespace stele::node_rules
