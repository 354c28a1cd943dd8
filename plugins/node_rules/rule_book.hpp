#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/services/content_log.hpp>

#include "binding.hpp"
#include "line_owners.hpp"
#include "rule.hpp"
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
        /// It says somewhere what only bindings must say.
        bool may_bind = false;
    };
    /// A large import is one changeset: of what it wrote only so much is held.
    struct Changeset {
        sdk::PlatformScope platform;
        sdk::ContentSpace space;
        std::uint64_t line = 0;
        std::uint64_t revision = 0;
        std::vector<Written> written = {};
        /// The log tells all of it once more.
        bool has_more = false;
        bool may_bind = false;

        void begin(const sdk::ContentVersion& version);
        void add(const sdk::ContentVersion& version);
    };

    /// Before the changesets of a repository after `revision` are told.
    void begin(const sdk::ContentSpace& space, std::uint64_t revision);
    /// Changesets of a line are told in their order; after a failure once more from where it began.
    sdk::Result<void> add_touches(const sdk::Reader& reader, const Changeset& changeset,
                                  AllTouches& touches);

    /// A line for the operator, once as long as the server runs.
    void tell_once(const std::string& line);

private:
    /// A binding and its rule at a changeset.
    struct Shown {
        BoundRule bound;
        Binding binding;
        std::string defined_type = {};
        RuleVersion rule;
    };
    /// What a line shows after the changeset that was looked at last. Only what a changeset writes
    /// is read again: a write costs the same, however many rules there are and whatever they say.
    struct Line {
        bool is_loaded = false;
        std::uint64_t through = 0;
        /// Associations that bind something, or will when what they lean on is there.
        std::map<std::string, Binding> bindings;
        /// Those among them that do.
        std::map<std::string, Shown> rules;
        /// From rules and definitions to the associations that lean on them.
        std::map<std::string, std::set<std::string>> leaning;
        /// Types that a type extends, itself among them; forgotten at each beginning.
        std::map<std::string, std::set<std::string>> chains;
    };

    using VisitWritten = std::function<sdk::Result<void>(const Written&)>;

    static Written written_by(const sdk::ContentVersion& version);
    sdk::Result<void> for_each_written(const sdk::Reader& reader, const Changeset& changeset,
                                       const VisitWritten& visit) const;
    sdk::Result<std::set<std::string>> find_candidates(const Changeset& changeset,
                                                       const LineOwner& owner);
    sdk::Result<void> bring_up_to(const sdk::Reader& reader, const Changeset& changeset,
                                  const LineOwner& owner, Line& line);
    sdk::Result<void> look_at(const sdk::Reader& reader, const Changeset& changeset,
                              const LineOwner& owner, const std::string& association, Line& line);
    sdk::Result<std::optional<Binding>> own_binding(const Changeset& changeset,
                                                    const LineOwner& owner,
                                                    const sdk::ContentVersion& version);
    sdk::Result<void> add_node(const sdk::Reader& reader, const Changeset& changeset,
                               const LineOwner& owner, Line& line, const Written& written,
                               AllTouches& touches);
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
