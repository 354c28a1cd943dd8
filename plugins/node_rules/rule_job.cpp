#include "rule_job.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

#include "binding.hpp"
#include "node_sync.hpp"
#include "rule.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

using sdk::Json;

/// Ends a transaction that was tried only.
constexpr char kDryRun[] = "node_rules.dry_run";

bool may_pass(const sdk::Error& error) {
    return error.kind == sdk::ErrorKind::unavailable || error.kind == sdk::ErrorKind::timed_out ||
           error.kind == sdk::ErrorKind::limited;
}

/// A rule and who bound it, as they were when the nodes were written.
struct PinnedRule {
    Rule rule;
    std::string binder;
    SyncSource source;
};

class RuleRun {
public:
    RuleRun(const RuleServices& services, sdk::Job& job) : services_(services), job_(job) {}

    sdk::Result<Json> run() {
        auto pinned = pin();
        if (!pinned) return pinned.error();
        const std::string author = job_.run_as().qualified_id();
        std::optional<sdk::Principal> binder;
        if (pinned->binder != author) {
            auto found = find_binder(pinned->binder);
            if (!found) return found.error();
            binder = std::move(*found);
        }
        const Json& nodes = job_.hidden().at("nodes");
        for (const Json& node : nodes) {
            if (job_.must_stop()) return stopped();
            for (const SyncAction& action : pinned->rule.actions) {
                const NodeSync sync(services_, pinned->source, pinned->rule, action);
                act(sync, node.get_ref<const std::string&>(), binder);
            }
            if (auto told = job_.progress({.done = ++done_, .total = nodes.size()}); !told)
                return told.error();
        }
        return outcome(nodes.size());
    }

private:
    static sdk::Error stopped() {
        return sdk::make_error(sdk::ErrorKind::unavailable, "node_rules.stopped",
                               "the rule was stopped");
    }

    sdk::Result<std::string> shown(sdk::Context& context, const sdk::ContentView& view,
                                   const char* name) {
        const std::string id = sdk::text_member(job_.hidden(), name);
        auto version = services_.log.shown(context.transaction(), view, id);
        if (!version) return version.error();
        if (!*version) {
            return sdk::make_error(sdk::ErrorKind::not_found, "node_rules.rule_gone",
                                   "the rule is gone");
        }
        return std::move((*version)->text);
    }

    sdk::Result<void> pin(sdk::Context& context, PinnedRule& pinned) {
        const auto branch = sdk::hex_bytes(sdk::text_member(job_.hidden(), "branch"));
        auto record = context.documents().read(branch.value_or(""));
        if (!record) return record.error();
        auto view = services_.log.view(context.transaction(), record->key);
        if (!view) return view.error();
        const auto line = job_.hidden().at("line").get<std::uint64_t>();
        // Since then the branch may have got other lines that go on from it.
        while (view->links.size() > 1 && view->links.front().line != line &&
               view->links.front().goes_on)
            view->links.erase(view->links.begin());
        if (view->links.empty() || view->links.front().line != line) {
            return sdk::make_error(sdk::ErrorKind::conflict, "node_rules.branch_reset",
                                   "the branch was reset since the nodes were written");
        }
        view->links.front().last_revision = job_.hidden().at("at").get<std::uint64_t>();
        auto bound = shown(context, *view, "association");
        if (!bound) return bound.error();
        auto association = sdk::parse_json(*bound, {.depth = 200});
        if (!association) return association.error();
        auto node = shown(context, *view, "rule");
        if (!node) return node.error();
        auto version = read_rule_version(*node);
        if (!version) return version.error();
        if (!version->rule) return version->rule.error();
        pinned = {std::move(*version->rule),
                  author_of(*association),
                  {view->space, record->key, record->id,
                   sdk::text_member(record->fields, "repositoryId")}};
        return {};
    }

    sdk::Result<PinnedRule> pin() {
        PinnedRule pinned;
        auto read = services_.registrar.run_as_system(
            job_.platform(), [&](sdk::Context& context) { return pin(context, pinned); });
        if (!read) return read.error();
        return pinned;
    }

    sdk::Result<sdk::Principal> find_binder(const std::string& name) {
        sdk::Principal binder;
        auto found = services_.registrar.run_as_system(
            job_.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                auto principal = find_author(services_, context, name);
                if (!principal) return principal.error();
                binder = std::move(*principal);
                return {};
            });
        if (found) return binder;
        if (found.error().code != "node_rules.author_unfit") return found.error();
        return sdk::make_error(sdk::ErrorKind::forbidden, "node_rules.author_unfit",
                               "whoever bound the rule may act no more: " + found.error().message);
    }

    /// Whether whoever bound the rule could do it as well: tries, and leaves nothing.
    sdk::Result<void> try_as(const sdk::Principal& binder, const NodeSync& sync,
                             const std::string& node) {
        auto tried = services_.operations.run_as(
            job_.platform(), binder, [&](sdk::Context& context) -> sdk::Result<void> {
                auto done = sync.run(context, node);
                if (!done) return done.error();
                return sdk::make_error(sdk::ErrorKind::conflict, kDryRun, "");
            });
        if (tried.error().code == kDryRun) return {};
        if (may_pass(tried.error())) return tried;
        return sdk::make_error(sdk::ErrorKind::forbidden, "node_rules.binder_unfit",
                               "whoever bound the rule may not do by themselves what it says");
    }

    void act(const NodeSync& sync, const std::string& node,
             const std::optional<sdk::Principal>& binder) {
        auto may = binder ? try_as(*binder, sync, node) : sdk::Result<void>();
        SyncOutcome outcome = SyncOutcome::left;
        if (may) {
            may = services_.operations.run_as(
                job_.platform(), job_.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
                    if (auto held = job_.confirm(context.transaction()); !held) return held;
                    auto done = sync.run(context, node);
                    if (!done) return done.error();
                    outcome = *done;
                    return {};
                });
        }
        if (may)
            ++counts_[outcome];
        else
            failures_.emplace_back(node, may.error());
    }

    /// One node that cannot be brought keeps no other one.
    sdk::Result<Json> outcome(std::size_t nodes) {
        if (failures_.empty()) {
            return Json{{"copied", counts_[SyncOutcome::copied]},
                        {"removed", counts_[SyncOutcome::removed]},
                        {"unchanged", counts_[SyncOutcome::unchanged]},
                        {"left", counts_[SyncOutcome::left]}};
        }
        for (const auto& [node, error] : failures_) {
            if (may_pass(error)) return error;
        }
        for (const auto& [node, error] : failures_) {
            auto logged =
                job_.log(sdk::JobLogLevel::error, fmt::format("node {}: {}", node, error.message));
            if (!logged) return logged.error();
        }
        return sdk::make_error(
            failures_.front().second.kind, "node_rules.sync_failed",
            fmt::format("the rule has failed for {} of {} nodes", failures_.size(), nodes),
            failures_.front().second.detail);
    }

    const RuleServices& services_;
    sdk::Job& job_;
    std::uint64_t done_ = 0;
    std::map<SyncOutcome, std::uint64_t> counts_;
    std::vector<std::pair<std::string, sdk::Error>> failures_;
};

}  // namespace

void define_rule_job(const RuleServices& services) {
    services.jobs.define({.name = kRuleJob, .run = [&services](sdk::Job& job) {
                              return RuleRun(services, job).run();
                          }});
}

}  // namespace stele::node_rules
