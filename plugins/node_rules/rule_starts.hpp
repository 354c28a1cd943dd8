#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "rule_book.hpp"
#include "services.hpp"

namespace stele::node_rules {

/// Starts the jobs of rules. One thread.
class RuleStarts {
public:
    /// `tell` is for lines that the operator should see.
    RuleStarts(const RuleServices& services, std::function<void(const std::string&)> tell)
        : services_(services), tell_(std::move(tell)) {}

    /// Before what one look at a repository has found is started: what an author may READ is asked
    /// once for all their rules.
    void begin() { readable_.clear(); }

    /// Starts what a rule is to do with nodes, as its author and in one transaction with the
    /// binding's mark: exactly one server does. What is said of a binding comes in the order in
    /// which it was written. Of nodes that the author may not READ nothing is started, so that
    /// nobody learns of them by a job. Success, too, where the rule has nobody who answers for it:
    /// that is told.
    sdk::Result<void> start(const sdk::PlatformScope& platform, const sdk::ContentSpace& space,
                            const BoundRule& rule, const Touches& touches);

private:
    using Nodes = std::map<std::string, std::uint64_t>;

    sdk::Result<Nodes> readable(const sdk::PlatformScope& platform, const sdk::Principal& author,
                                const BoundRule& rule, const Nodes& nodes);
    sdk::Result<void> start_jobs(sdk::Context& context, const BoundRule& rule, std::uint64_t at,
                                 const std::vector<std::string>& nodes);

    const RuleServices& services_;
    std::function<void(const std::string&)> tell_;
    /// Whether somebody may READ a node, by author and branch.
    std::map<std::pair<std::string, sdk::RecordKey>, std::map<std::string, bool>> readable_;
};

}  // namespace stele::node_rules
