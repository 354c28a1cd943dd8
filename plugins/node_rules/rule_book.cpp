#include "rule_book.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>
#include <stele/sdk/members.hpp>

#include "copy_rows.hpp"
#include "node_state.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

/// Types above a type, more than anybody has.
constexpr std::size_t kMaxChain = 100;
/// Rules that are at work on a branch at the same time: each write starts that many jobs at most.
constexpr std::size_t kMaxRules = 100;
/// Lines for the operator that are remembered not to be told again.
constexpr std::size_t kMaxTold = 10'000;
/// Of what a changeset wrote.
constexpr std::size_t kMostHeld = 1000;

sdk::Result<sdk::Json> fields_of(const sdk::ContentVersion& version) {
    return sdk::parse_json(version.text, {.depth = 200});
}

}  // namespace

void RuleBook::begin(const sdk::ContentSpace& space, std::uint64_t revision) {
    begun_after_ = revision;
    for (auto& [number, line] : lines_[space])
        line.chains.clear();
}

RuleBook::Written RuleBook::written_by(const sdk::ContentVersion& version) {
    return {.node = version.node,
            .is_removed = version.is_removed,
            .may_bind = version.text.find(kHasBehavior) != std::string::npos};
}

void RuleBook::Changeset::begin(const sdk::ContentVersion& version) {
    line = version.line;
    revision = version.revision;
    written.clear();
    has_more = may_bind = false;
}

void RuleBook::Changeset::add(const sdk::ContentVersion& version) {
    Written one = written_by(version);
    may_bind = may_bind || one.may_bind;
    has_more = has_more || written.size() == kMostHeld;
    if (!has_more) written.push_back(std::move(one));
}

sdk::Result<void> RuleBook::for_each_written(const sdk::Reader& reader, const Changeset& changeset,
                                             const VisitWritten& visit) const {
    sdk::Result<void> visited;
    if (!changeset.has_more) {
        for (const Written& written : changeset.written) {
            if (visited = visit(written); !visited) break;
        }
        return visited;
    }
    auto walked = services_.log.for_each_after(reader, changeset.space, changeset.revision - 1,
                                               [&](const sdk::ContentVersion& version) {
                                                   if (version.revision != changeset.revision)
                                                       return false;
                                                   visited = visit(written_by(version));
                                                   return visited.has_value();
                                               });
    return walked ? visited : walked;
}

void RuleBook::tell_once(const std::string& line) {
    if (told_.size() >= kMaxTold) told_.clear();
    if (told_.insert(line).second) sdk::log(sdk::LogLevel::warning, "node_rules", line);
}

/// Bindings of the tip, and those that are gone by then, but were there when something was written
/// that is still to be looked at.
sdk::Result<std::set<std::string>> RuleBook::find_candidates(const Changeset& changeset,
                                                             const LineOwner& owner) {
    std::set<std::string> candidates;
    auto found = services_.registrar.run_as_system(
        changeset.platform, [&](sdk::Context& context) -> sdk::Result<void> {
            candidates.clear();
            sdk::PageRequest everything;
            everything.limit = -1;
            auto rows = context.documents().query({kNode, "", owner.branch},
                                                  {{kType, kHasBehavior}}, everything);
            // The branch may be gone by now, and what is left to do with it.
            if (!rows && sdk::is_missing(rows.error())) return {};
            if (!rows) return rows.error();
            for (const sdk::Document& row : rows->rows)
                candidates.insert(row.id);
            return {};
        });
    if (!found) return found.error();
    // Not older than that tip.
    const auto reader = services_.registrar.engine().snapshot();
    sdk::Result<void> looked;
    auto walked = services_.log.for_each_after(
        *reader, changeset.space, begun_after_, [&](const sdk::ContentVersion& version) {
            // It may have gone on a line that goes on from this one: they have higher numbers.
            if (!version.is_removed || version.line < changeset.line) return true;
            auto former =
                services_.log.shown(*reader, owner.at(version.revision - 1), version.node);
            if (!former) looked = former.error();
            if (former && *former && written_by(**former).may_bind) candidates.insert(version.node);
            return looked.has_value();
        });
    if (!walked) return walked.error();
    if (!looked) return looked.error();
    return candidates;
}

/// Nothing for what binds nothing, and for what was bound on the origin of a fork.
sdk::Result<std::optional<Binding>> RuleBook::own_binding(const Changeset& changeset,
                                                          const LineOwner& owner,
                                                          const sdk::ContentVersion& version) {
    auto is_own = owners_.is_own(changeset.platform, owner, version);
    if (!is_own) return is_own.error();
    if (!*is_own) return std::optional<Binding>();
    auto fields = fields_of(version);
    if (!fields) return fields.error();
    if (!is_binding(*fields)) return std::optional<Binding>();
    auto binding = read_binding(*fields);
    if (binding) return std::optional(std::move(*binding));
    tell_once(
        fmt::format("association {} binds no rule: {}", version.node, binding.error().message));
    return std::optional<Binding>();
}

sdk::Result<void> RuleBook::look_at(const sdk::Reader& reader, const Changeset& changeset,
                                    const LineOwner& owner, const std::string& association,
                                    Line& line) {
    const auto former = line.bindings.find(association);
    if (former != line.bindings.end()) {
        for (const std::string& end : {former->second.source, former->second.rule}) {
            const auto leaning = line.leaning.find(end);
            if (leaning == line.leaning.end()) continue;
            leaning->second.erase(association);
            if (leaning->second.empty()) line.leaning.erase(leaning);
        }
        line.bindings.erase(former);
        line.rules.erase(association);
    }
    const sdk::ContentView view = owner.at(changeset.revision);
    auto version = services_.log.shown(reader, view, association);
    if (!version) return version.error();
    if (!*version) return {};
    auto binding = own_binding(changeset, owner, **version);
    if (!binding) return binding.error();
    if (!*binding) return {};
    line.bindings[association] = **binding;
    line.leaning[(*binding)->source].insert(association);
    line.leaning[(*binding)->rule].insert(association);
    auto rule = services_.log.shown(reader, view, (*binding)->rule);
    if (!rule) return rule.error();
    if (!*rule) return {};
    std::string defined_type;
    if ((*binding)->is_of_type) {
        auto definition = services_.log.shown(reader, view, (*binding)->source);
        if (!definition) return definition.error();
        if (!*definition) return {};
        auto defined = fields_of(**definition);
        if (!defined) return defined.error();
        if (sdk::text_member(*defined, kType) == kDefinedType)
            defined_type = sdk::text_member(*defined, kQName);
        if (defined_type.empty()) {
            tell_once(
                fmt::format("association {} binds no rule: with scope 1 it must begin at the "
                            "definition of a type",
                            association));
            return {};
        }
    }
    auto said = read_rule_version((*rule)->text);
    if (!said) return said.error();
    line.rules.emplace(association, Shown{.bound = {.branch = owner.branch,
                                                    .line = changeset.line,
                                                    .association = association,
                                                    .association_revision = (*version)->revision,
                                                    .rule = (*binding)->rule,
                                                    .rule_revision = (*rule)->revision},
                                          .binding = **binding,
                                          .defined_type = std::move(defined_type),
                                          .rule = std::move(*said)});
    return {};
}

/// A line that is known already is known as it was before the changeset.
sdk::Result<void> RuleBook::bring_up_to(const sdk::Reader& reader, const Changeset& changeset,
                                        const LineOwner& owner, Line& line) {
    std::set<std::string> stale;
    if (!line.is_loaded) {
        auto candidates = find_candidates(changeset, owner);
        if (!candidates) return candidates.error();
        stale = std::move(*candidates);
    }
    auto walked =
        for_each_written(reader, changeset, [&](const Written& written) -> sdk::Result<void> {
            if (written.may_bind || line.bindings.contains(written.node))
                stale.insert(written.node);
            const auto leaning = line.leaning.find(written.node);
            if (leaning != line.leaning.end())
                stale.insert(leaning->second.begin(), leaning->second.end());
            return {};
        });
    if (!walked) return walked;
    for (const std::string& association : stale) {
        if (auto looked = look_at(reader, changeset, owner, association, line); !looked)
            return looked;
    }
    line.is_loaded = true;
    return {};
}

sdk::Result<const std::set<std::string>*> RuleBook::chain(const Changeset& changeset,
                                                          const LineOwner& owner, Line& line,
                                                          const std::string& type) {
    const auto known = line.chains.find(type);
    if (known != line.chains.end()) return &known->second;
    std::set<std::string> types;
    auto walked = services_.registrar.run_as_system(
        changeset.platform, [&](sdk::Context& context) -> sdk::Result<void> {
            types.clear();
            std::string next = type;
            while (!next.empty() && types.size() < kMaxChain && types.insert(next).second) {
                const auto above = line.chains.find(next);
                if (above != line.chains.end()) {
                    types.insert(above->second.begin(), above->second.end());
                    return {};
                }
                auto found = context.documents().query({kNode, "", owner.branch}, {{kQName, next}});
                if (!found && sdk::is_missing(found.error())) return {};
                if (!found) return found.error();
                next = found->rows.empty() ? "" : sdk::text_member(found->rows[0].fields, kParent);
            }
            return {};
        });
    if (!walked) return walked.error();
    return &(line.chains[type] = std::move(types));
}

sdk::Result<bool> RuleBook::is_bound(const Changeset& changeset, const LineOwner& owner, Line& line,
                                     const Shown& rule, const std::string& node,
                                     const sdk::Json& fields) {
    if (!rule.binding.is_of_type) return rule.binding.source == node;
    auto types = chain(changeset, owner, line, sdk::text_member(fields, kType));
    if (!types) return types.error();
    return (*types)->contains(rule.defined_type);
}

sdk::Result<void> RuleBook::add_node(const sdk::Reader& reader, const Changeset& changeset,
                                     const LineOwner& owner, Line& line, const Written& written,
                                     AllTouches& touches) {
    // Of what is gone its last version says what it was.
    const std::uint64_t at = changeset.revision - (written.is_removed ? 1 : 0);
    auto version = services_.log.shown(reader, owner.at(at), written.node);
    if (!version) return version.error();
    if (!*version) return {};
    auto fields = fields_of(**version);
    if (!fields) return fields.error();
    if (!is_brought(*fields)) return {};
    if (written.is_removed) {
        auto has_copies =
            copies::has_any(reader, {changeset.space, owner.branch, written.node, {}});
        if (!has_copies) return has_copies.error();
        if (!*has_copies) return {};
    }
    std::size_t asked = 0;
    for (const auto& [association, rule] : line.rules) {
        if (++asked > kMaxRules) break;
        auto fits = is_bound(changeset, owner, line, rule, written.node, *fields);
        if (!fits) return fits.error();
        if (!*fits) continue;
        // One that is not understood says so in its job.
        if (!written.is_removed && rule.rule.rule && !holds(*rule.rule.rule, *fields)) continue;
        Touches& found = touches[rule.bound];
        found.at = changeset.revision;
        found.author = rule.rule.author;
        found.nodes[written.node] = changeset.revision;
    }
    return {};
}

sdk::Result<void> RuleBook::add_touches(const sdk::Reader& reader, const Changeset& changeset,
                                        AllTouches& touches) {
    Line& line = lines_[changeset.space][changeset.line];
    // A second look, after a failure: what it showed then must be found out again.
    if (line.is_loaded && changeset.revision <= line.through) line = {};
    const bool is_idle = line.is_loaded && !changeset.may_bind && line.bindings.empty();
    if (!is_idle) {
        auto owner = owners_.find(changeset.platform, changeset.space, changeset.line);
        if (!owner) return owner.error();
        if (!*owner) return {};
        if (auto known = bring_up_to(reader, changeset, **owner, line); !known) return known;
        if (line.rules.size() > kMaxRules) {
            tell_once(
                fmt::format("a branch has more than {} rules; association {} and later ones "
                            "bind none",
                            kMaxRules, std::next(line.rules.begin(), kMaxRules)->first));
        }
        if (!line.rules.empty()) {
            auto added = for_each_written(reader, changeset, [&](const Written& written) {
                return add_node(reader, changeset, **owner, line, written, touches);
            });
            if (!added) return added;
        }
    }
    line.through = changeset.revision;
    return {};
}

}  // namespace stele::node_rules
