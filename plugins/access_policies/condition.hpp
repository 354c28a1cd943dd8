#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/policy_source.hpp>

#include "subject_facts.hpp"

namespace re2 {
class RE2;
}

namespace stele::access_policies {

/// What a value of a condition asks for: text as a regular expression over the whole value,
/// booleans and numbers by equality (docs/reference/policies.md).
class ValuePattern {
public:
    static sdk::Result<ValuePattern> compile(const sdk::Json& value, const std::string& path);
    bool matches(const sdk::Json& value) const;
    bool matches(std::string_view text) const;
    /// Whether some text that begins with this one may match.
    bool may_match_begin(const std::string& begin) const;

private:
    std::shared_ptr<const re2::RE2> expression_;
    std::string literal_;  // JSON text of a boolean or number
};

/// A compiled condition of a statement. Immutable; any thread.
class Condition {
public:
    /// `path` names the place in violations (`statements.0.conditions.1`). Fails with `invalid` for
    /// an unknown type, a missing member or a broken expression.
    static sdk::Result<Condition> compile(const sdk::Json& condition, const std::string& path,
                                          int depth = 0);

    /// Whether it holds for the record at the place that is looked at. A fact that its family does
    /// not have holds nothing. Fails only when a fact cannot be read.
    sdk::Result<bool> holds(const SubjectFacts& facts) const;
    /// Whether it holds only where the record lies in a branch, or has a reference, that is named
    /// by its id: who chose the title of a branch does not choose this.
    bool names_place() const;
    /// Whether projects are asked for, and whether something holds where they are not.
    bool asks_for_projects() const;
    bool excludes_projects() const;
    /// Whether records with these words in front of their references may be meant.
    bool may_mean(const std::vector<std::string>& words) const;
    /// Adds a violation for each part that no record of the families can ever be asked for.
    void check_fitness(const std::vector<const sdk::PolicyFamily*>& families, bool has_projects,
                       sdk::Violations& violations) const;

private:
    enum class Kind {
        all_of,
        any_of,
        none_of,
        type,
        reference,
        member,
        feature,
        path,
        store,
        branch,
        project,
        definition
    };
    struct Named {
        std::string name;
        ValuePattern pattern;
    };
    static sdk::Result<Condition> compile_nested(Condition condition, const sdk::Json& source,
                                                 const sdk::Json& config, const std::string& path,
                                                 int depth);
    static sdk::Result<Condition> compile_leaf(Condition condition, const std::string& type,
                                               const sdk::Json& config, const std::string& path);
    sdk::Result<void> compile_config(const std::string& type, const sdk::Json& config,
                                     const std::vector<std::string_view>& members);
    sdk::Result<bool> holds_nested(const SubjectFacts& facts) const;
    sdk::Result<bool> holds_in_store(const SubjectFacts& facts) const;
    sdk::Result<bool> holds_in_project(const SubjectFacts& facts) const;
    sdk::Result<bool> holds_on_paths(const SubjectFacts& facts) const;
    sdk::Result<bool> holds_on_fields(const SubjectFacts& facts) const;
    bool matches(const SubjectFacts::Store& store) const;

    Kind kind_ = Kind::all_of;
    std::vector<Condition> children_;
    /// Patterns by what they are compared with: a member's dotted name, or `id`, `title`, `typeId`.
    std::vector<Named> patterns_;
    /// What a record's family must say of its records (`PolicySubject::facts`); empty: nothing.
    std::string fact_;
    /// Where it stands, for violations.
    std::string path_;
};

}  // namespace stele::access_policies
