#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/policy_source.hpp>

namespace re2 {
class RE2;
}

namespace stele::access_policies {

/// What a value of a condition asks for: text as a regular expression over the whole value,
/// booleans and numbers by equality (docs/specification/platform.md 5.4).
class ValuePattern {
public:
    static sdk::Result<ValuePattern> compile(const sdk::Json& value, const std::string& path);
    bool matches(const sdk::Json& value) const;
    bool matches(std::string_view text) const;

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

    /// Whether it holds for the record. Fails only when a fact cannot be read.
    sdk::Result<bool> holds(const sdk::PolicySubject& subject) const;

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
    sdk::Result<bool> holds_nested(const sdk::PolicySubject& subject) const;
    sdk::Result<bool> holds_in_store(const sdk::PolicySubject& subject) const;
    sdk::Result<bool> holds_on_fields(const sdk::PolicySubject& subject) const;

    Kind kind_ = Kind::all_of;
    std::vector<Condition> children_;
    /// Patterns by what they are compared with: a member's dotted name, or `id`, `title`, `typeId`.
    std::vector<Named> patterns_;
    /// With `store`: the container's type; empty: any data store, the record itself included.
    std::string store_type_;
};

}  // namespace stele::access_policies
