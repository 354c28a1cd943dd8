#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/services/content_log.hpp>

#include "binding.hpp"
#include "line_owners.hpp"
#include "services.hpp"

namespace stele::node_rules {

/// A rule as it was bound when something was written: versions never change.
struct BoundRule {
    sdk::RecordKey branch = {};
    std::uint64_t line = 0;
    std::string association = {};
    std::uint64_t association_revision = 0;
    std::string rule = {};
    std::uint64_t rule_revision = 0;

    friend auto operator<=>(const BoundRule&, const BoundRule&) = default;
};

/// What it is for.
struct Touches {
    /// A changeset after which the branch showed the rule so.
    std::uint64_t at = 0;
    /// `domain/id` of whoever changed the rule last.
    std::string author;
    /// Nodes, and the last changeset that wrote them.
    std::map<std::string, std::uint64_t> nodes;
};

using AllTouches = std::map<BoundRule, Touches>;

/// Finds the rules that a written node is for: those that a binding leads to which was written on
/// the node's branch, as the branch showed both after the changeset. What a fork inherits is bound
/// on its origin only. One thread.
class RuleBook {
public:
    explicit RuleBook(const RuleServices& services) : services_(services), owners_(services) {}

    struct Written {
        std::string node;
        bool is_removed = false;
    };
    struct Changeset {
        sdk::PlatformScope platform;
        sdk::ContentSpace space;
        std::uint64_t line = 0;
        std::uint64_t revision = 0;
        std::vector<Written> written = {};
    };

    /// Before the changesets of a repository after `revision` are told.
    void begin(const sdk::ContentSpace& space, std::uint64_t revision);
    /// Each version is noted before its changeset is looked at.
    void note(const sdk::ContentSpace& space, const sdk::ContentVersion& version);
    sdk::Result<void> add_touches(const sdk::Reader& reader, const Changeset& changeset,
                                  AllTouches& touches);

    /// A line for the operator, once as long as the server runs.
    void tell_once(const std::string& line);

private:
    struct Line {
        bool is_loaded = false;
        /// Ids of associations that are bindings, or were.
        std::set<std::string> candidates;
        /// Types that a type extends, itself among them; forgotten at each beginning.
        std::map<std::string, std::set<std::string>> chains;
    };
    /// A binding and its rule at a changeset.
    struct Shown {
        BoundRule bound;
        Binding binding;
        std::string defined_type = {};
        sdk::Json rule;
    };

    sdk::Result<void> load(const Changeset& changeset, const LineOwner& owner, Line& line);
    sdk::Result<std::vector<Shown>> shown_rules(const sdk::Reader& reader,
                                                const Changeset& changeset, const LineOwner& owner,
                                                const Line& line);
    sdk::Result<void> add_shown(const sdk::Reader& reader, const Changeset& changeset,
                                const LineOwner& owner, const std::string& association,
                                std::vector<Shown>& rules);
    sdk::Result<void> add_node(const sdk::Reader& reader, const Changeset& changeset,
                               const LineOwner& owner, Line& line, const std::vector<Shown>& rules,
                               const Written& written, AllTouches& touches);
    sdk::Result<bool> is_bound(const Changeset& changeset, const LineOwner& owner, Line& line,
                               const Shown& rule, const std::string& node, const sdk::Json& fields);
    sdk::Result<const std::set<std::string>*> chain(const Changeset& changeset,
                                                    const LineOwner& owner, Line& line,
                                                    const std::string& type);

    const RuleServices& services_;
    LineOwners owners_;
    std::uint64_t begun_after_ = 0;
    std::map<sdk::ContentSpace, std::map<std::uint64_t, Line>> lines_;
    std::set<std::string> told_;
};

}  // namespace stele::node_rules
