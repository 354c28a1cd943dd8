#include "rule_book.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>
#include <stele/sdk/members.hpp>

#include "copy_rows.hpp"
#include "node_state.hpp"
#include "rule.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

/// Types above a type, more than anybody has.
constexpr std::size_t kMaxChain = 100;
/// Rules that are at work on a branch at the same time: each write starts that many jobs at most.
constexpr std::size_t kMaxRules = 100;
/// Lines for the operator that are remembered not to be told again.
constexpr std::size_t kMaxTold = 10'000;

sdk::Result<sdk::Json> fields_of(const sdk::ContentVersion& version) {
    return sdk::parse_json(version.text, {.depth = 200});
}

}  // namespace

void RuleBook::begin(const sdk::ContentSpace& space, std::uint64_t revision) {
    begun_after_ = revision;
    for (auto& [number, line] : lines_[space])
        line.chains.clear();
}

void RuleBook::note(const sdk::ContentSpace& space, const sdk::ContentVersion& version) {
    if (version.text.find(kHasBehavior) == std::string::npos) return;
    lines_[space][version.line].candidates.insert(version.node);
}

void RuleBook::tell_once(const std::string& line) {
    if (told_.size() >= kMaxTold) told_.clear();
    if (told_.insert(line).second) sdk::log(sdk::LogLevel::warning, "node_rules", line);
}

/// Bindings of the tip, and those that are gone by then, but were there when something was written
/// that is still to be looked at.
sdk::Result<void> RuleBook::load(const Changeset& changeset, const LineOwner& owner, Line& line) {
    auto found = services_.registrar.run_as_system(
        changeset.platform, [&](sdk::Context& context) -> sdk::Result<void> {
            sdk::PageRequest everything;
            everything.limit = -1;
            auto rows = context.documents().query({kNode, "", owner.branch},
                                                  {{kType, kHasBehavior}}, everything);
            // The branch may be gone by now, and what is left to do with it.
            if (!rows && sdk::is_missing(rows.error())) return {};
            if (!rows) return rows.error();
            for (const sdk::Document& row : rows->rows)
                line.candidates.insert(row.id);
            return {};
        });
    if (!found) return found;
    // Not older than that tip.
    const auto reader = services_.registrar.engine().snapshot();
    sdk::Result<void> looked;
    auto walked = services_.log.for_each_after(
        *reader, changeset.space, begun_after_, [&](const sdk::ContentVersion& version) {
            if (!version.is_removed || version.line != changeset.line) return true;
            auto former =
                services_.log.shown(*reader, owner.at(version.revision - 1), version.node);
            if (!former) looked = former.error();
            if (former && *former && (*former)->text.find(kHasBehavior) != std::string::npos)
                line.candidates.insert(version.node);
            return looked.has_value();
        });
    if (!walked) return walked;
    line.is_loaded = looked.has_value();
    return looked;
}

sdk::Result<void> RuleBook::add_shown(const sdk::Reader& reader, const Changeset& changeset,
                                      const LineOwner& owner, const std::string& association,
                                      std::vector<Shown>& rules) {
    const sdk::ContentView view = owner.at(changeset.revision);
    auto version = services_.log.shown(reader, view, association);
    if (!version) return version.error();
    if (!*version) return {};
    auto is_own = owners_.is_own(changeset.platform, owner, **version);
    if (!is_own) return is_own.error();
    if (!*is_own) return {};
    auto fields = fields_of(**version);
    if (!fields) return fields.error();
    if (!is_binding(*fields)) return {};
    auto binding = read_binding(*fields);
    if (!binding) {
        tell_once(
            fmt::format("association {} binds no rule: {}", association, binding.error().message));
        return {};
    }
    auto rule = services_.log.shown(reader, view, binding->rule);
    if (!rule) return rule.error();
    if (!*rule) return {};
    auto said = fields_of(**rule);
    if (!said) return said.error();
    Shown shown{.bound = {.branch = owner.branch,
                          .line = changeset.line,
                          .association = association,
                          .association_revision = (*version)->revision,
                          .rule = binding->rule,
                          .rule_revision = (*rule)->revision},
                .binding = *binding,
                .defined_type = {},
                .rule = std::move(*said)};
    if (binding->is_of_type) {
        auto definition = services_.log.shown(reader, view, binding->source);
        if (!definition) return definition.error();
        if (!*definition) return {};
        auto defined = fields_of(**definition);
        if (!defined) return defined.error();
        if (sdk::text_member(*defined, kType) == kDefinedType)
            shown.defined_type = sdk::text_member(*defined, kQName);
        if (shown.defined_type.empty()) {
            tell_once(
                fmt::format("association {} binds no rule: with scope 1 it must begin at the "
                            "definition of a type",
                            association));
            return {};
        }
    }
    rules.push_back(std::move(shown));
    return {};
}

sdk::Result<std::vector<RuleBook::Shown>> RuleBook::shown_rules(const sdk::Reader& reader,
                                                                const Changeset& changeset,
                                                                const LineOwner& owner,
                                                                const Line& line) {
    std::vector<Shown> rules;
    for (const std::string& association : line.candidates) {
        if (rules.size() == kMaxRules) {
            tell_once(
                fmt::format("a branch has more than {} rules; association {} and later ones "
                            "bind none",
                            kMaxRules, association));
            break;
        }
        if (auto added = add_shown(reader, changeset, owner, association, rules); !added)
            return added.error();
    }
    return rules;
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
                                     const LineOwner& owner, Line& line,
                                     const std::vector<Shown>& rules, const Written& written,
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
    for (const Shown& rule : rules) {
        auto fits = is_bound(changeset, owner, line, rule, written.node, *fields);
        if (!fits) return fits.error();
        if (!*fits) continue;
        // One that is not understood says so in its job.
        const auto said = read_rule(rule.rule);
        if (!written.is_removed && said && !holds(*said, *fields)) continue;
        Touches& found = touches[rule.bound];
        found.at = changeset.revision;
        found.author = author_of(rule.rule);
        found.nodes[written.node] = changeset.revision;
    }
    return {};
}

sdk::Result<void> RuleBook::add_touches(const sdk::Reader& reader, const Changeset& changeset,
                                        AllTouches& touches) {
    Line& line = lines_[changeset.space][changeset.line];
    if (line.is_loaded && line.candidates.empty()) return {};
    auto owner = owners_.find(changeset.platform, changeset.space, changeset.line);
    if (!owner) return owner.error();
    if (!*owner) return {};
    if (!line.is_loaded) {
        if (auto loaded = load(changeset, **owner, line); !loaded) return loaded;
    }
    if (line.candidates.empty()) return {};
    auto rules = shown_rules(reader, changeset, **owner, line);
    if (!rules) return rules.error();
    if (rules->empty()) return {};
    for (const Written& written : changeset.written) {
        auto added = add_node(reader, changeset, **owner, line, *rules, written, touches);
        if (!added) return added;
    }
    return {};
}

}  // namespace stele::node_rules
