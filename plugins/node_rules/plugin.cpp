#include <memory>

#include <stele/sdk/plugin.hpp>

#include "follower.hpp"
#include "rule_catalog.hpp"
#include "rule_job.hpp"
#include "rule_marks.hpp"

namespace stele::node_rules {

namespace {

/// A store that had content before it had rules: they are for what is written from now on.
sdk::Result<void> begin_at_newest(sdk::ContentLog& log, sdk::Context& context) {
    auto spaces = log.spaces(context.transaction());
    if (!spaces) return spaces.error();
    for (const sdk::ContentSpace& space : *spaces) {
        if (space.platform != context.platform().number) continue;
        auto newest = log.newest(context.transaction(), space);
        if (!newest) return newest.error();
        auto marked = marks::advance(context.transaction(), space, *newest);
        if (!marked) return marked;
    }
    return {};
}

sdk::Result<void> open(sdk::Registrar& registrar) {
    auto needed = registrar.require<sdk::ContentLog, sdk::Families, sdk::InnerOperations, sdk::Jobs,
                                    sdk::PrincipalDirectory>();
    if (!needed) return needed.error();
    auto& [log, families, operations, jobs, principals] = *needed;
    const RuleServices& services = registrar.own(std::unique_ptr<RuleServices>(
        new RuleServices{registrar, log, families, operations, jobs, principals}));
    define_rule_job(services);
    add_rule_catalog(registrar);
    // Observers live as long as the engine.
    Follower& follower = registrar.own(std::make_unique<Follower>(services));
    registrar.on_start([&registrar, &follower] {
        registrar.engine().observe(
            "", [&follower](const sdk::CommitNotice& notice) { follower.notice(notice); });
        // For what a server that died has left; nothing else may be written for long.
        follower.start();
    });
    registrar.on_stop([&follower] { follower.stop(); });
    registrar.on_install([&services](sdk::Context& context, const sdk::Json&) {
        return begin_at_newest(services.log, context);
    });
    return {};
}

}  // namespace

}  // namespace stele::node_rules

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "node_rules", .version = "0.1.0", .requirements = "nodes"}, &stele::node_rules::open);
