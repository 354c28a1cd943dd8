#pragma once

#include <string>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "copy_rows.hpp"
#include "rule.hpp"
#include "services.hpp"

namespace stele::node_rules {

/// A branch that nodes come from.
struct SyncSource {
    sdk::ContentSpace space;
    sdk::RecordKey branch;
    std::string branch_id;
    std::string repository_id;
};

enum class SyncOutcome {
    copied,     ///< the copy was made, or brought up to date
    removed,    ///< the source is gone, and its copy is, too
    unchanged,  ///< the copy says what the source says, or the source has it from there
    left,       ///< nothing is to be done: the conditions do not hold, or there is no copy
};

/// Brings the copy of a node in line with it, in the transaction of the context and with the rights
/// of its principal. Everything outlives it. Any thread.
class NodeSync {
public:
    NodeSync(const RuleServices& services, const SyncSource& source, const Rule& rule,
             const SyncAction& action)
        : services_(services), source_(source), rule_(rule), action_(action) {}

    /// Fails as the operations would for a client, with `forbidden`
    /// (`node_rules.source_unreadable`) where the principal may not READ the node, and with
    /// `node_rules.target_unfit`.
    sdk::Result<SyncOutcome> run(sdk::Context& context, const std::string& node) const;

private:
    sdk::Result<sdk::RecordKey> target(sdk::Context& context) const;
    sdk::Result<SyncOutcome> bring(sdk::Context& context, const sdk::Document& node,
                                   const sdk::RecordKey& target) const;
    /// Whether the source has nothing but what a rule has brought there from the target.
    sdk::Result<bool> is_from_target(sdk::Context& context, const CopyWay& back,
                                     std::uint64_t source) const;
    /// What a node says is what a rule brought there, or the branch's own.
    struct Carried {
        bool is_brought = false;
        Wave wave;
    };
    static sdk::Result<Carried> carried_by(sdk::Context& context, const sdk::ContentSpace& space,
                                           const sdk::RecordKey& branch, const sdk::Document& node);
    sdk::Result<void> note(sdk::Context& context, const CopyWay& way, const CopyWay& back,
                           const CopyRow& row) const;
    sdk::Result<SyncOutcome> remove(sdk::Context& context, const std::string& node) const;

    const RuleServices& services_;
    const SyncSource& source_;
    const Rule& rule_;
    const SyncAction& action_;
};

}  // namespace stele::node_rules
