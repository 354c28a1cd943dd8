#include "definition/schema_validation.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <re2/re2.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/regex_weight.hpp>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/constraint_builder.hpp>
#include <valijson/constraints/concrete_constraints.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace stele::nodes {

namespace {

using valijson::adapters::Adapter;
using valijson::adapters::NlohmannJsonAdapter;

/// Schemas that a validation walks through, some of them many times.
constexpr std::size_t kMaxSteps = 100'000;
/// Bytes of stack: a schema that refers to itself without going deeper into the document.
constexpr std::ptrdiff_t kMaxStack = 1 << 20;
/// Bytes of values that are compared with each other, by their texts.
constexpr std::size_t kMaxCompared = 8u << 20;
constexpr std::size_t kMaxProblems = 100;
/// Bytes of the places that the validator keeps with the problems it has found, each with its own.
constexpr std::size_t kMaxProblemBytes = 1 << 20;

struct BoundReached : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// So many problems were found that looking for more helps nobody; no fault of the schema.
struct EnoughProblems {};

class Budget {
public:
    Budget() : start_(place()) {}

    void spend() {
        if (++steps_ > kMaxSteps) throw BoundReached("takes too many steps");
        if (start_ - place() > kMaxStack) throw BoundReached("leads back to itself");
    }
    /// Before the validator goes deeper at a place: what it holds already, and holds once more
    /// wherever alternatives lie inside one another.
    void check_room(const valijson::ValidationResults& found,
                    const std::vector<std::string>& place) {
        std::size_t bytes = 0;
        for (const std::string& step : place)
            bytes += sizeof(step) + step.size();
        longest_place_ = std::max(longest_place_, bytes);
        const std::size_t count = found.numErrors();
        if (count >= sdk::kMaxViolations || count * longest_place_ > kMaxProblemBytes)
            throw EnoughProblems();
    }
    /// The same document once more.
    void begin_again() { steps_ = compared_ = 0; }
    void spend_compared(std::size_t bytes) {
        compared_ += bytes;
        if (compared_ > kMaxCompared) throw BoundReached("compares too much");
    }
    void spend_pattern(std::string_view pattern) {
        weight_ += sdk::regex_weight(pattern);
        if (weight_ > sdk::kMaxRegexWeight) throw BoundReached("has too many patterns");
    }

private:
    static const char* place() { return static_cast<const char*>(__builtin_frame_address(0)); }

    const char* start_;
    std::size_t steps_ = 0;
    std::size_t compared_ = 0;
    std::size_t weight_ = 0;
    std::size_t longest_place_ = 0;
};

/// The text of a value, by which equal ones are found without comparing each with each. Numbers
/// that are equal have the same text, whatever they look like.
class ValueText {
public:
    explicit ValueText(Budget& budget) : budget_(budget) {}

    std::string of(const Adapter& value) {
        text_.clear();
        append(value);
        return text_;
    }

private:
    void append(const Adapter& value) {
        const std::size_t before = text_.size();
        if (value.isString()) {
            append_text(value.asString());
        } else if (value.isArray()) {
            text_ += '[';
            value.applyToArray([this](const Adapter& item) {
                append(item);
                text_ += ',';
                return true;
            });
            text_ += ']';
        } else if (value.isObject()) {
            text_ += '{';
            // The members of a plain JSON object come in the order of their names.
            value.applyToObject([this](const std::string& name, const Adapter& member) {
                append_text(name);
                append(member);
                return true;
            });
            text_ += '}';
        } else {
            append_scalar(value);
        }
        // What lies in a container is spent already.
        const bool is_container = value.isArray() || value.isObject();
        budget_.spend_compared(is_container ? 1 : text_.size() - before);
    }

    /// With its length, so that no text looks like the end of it.
    void append_text(const std::string& text) {
        text_ += fmt::format("\"{}:{}", text.size(), text);
    }

    void append_scalar(const Adapter& value) {
        if (value.isBool()) {
            text_ += value.asBool() ? "t" : "f";
        } else if (value.isNumber()) {
            text_ += fmt::format("{:.17g};", value.getNumber() + 0.0);
        } else {
            text_ += "n";
        }
    }

    Budget& budget_;
    std::string text_;
};

/// The validator copies constraints into memory that it owns.
template <class Own>
class OwnConstraint : public valijson::constraints::PolyConstraint {
private:
    Constraint* cloneInto(void* place) const override {
        return new (place) Own(static_cast<const Own&>(*this));
    }
    std::size_t sizeOf() const override { return sizeof(Own); }
};

class StepConstraint final : public OwnConstraint<StepConstraint> {
public:
    explicit StepConstraint(Budget& budget) : budget_(&budget) {}
    bool validate(const Adapter&, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        budget_->spend();
        if (results) budget_->check_room(*results, context);
        return true;
    }

private:
    Budget* budget_;
};

class UniqueConstraint final : public OwnConstraint<UniqueConstraint> {
public:
    explicit UniqueConstraint(Budget& budget) : budget_(&budget) {}
    bool validate(const Adapter& target, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        if (!target.isArray()) return true;
        std::unordered_map<std::string, std::size_t> known;
        ValueText text(*budget_);
        std::size_t index = 0;
        return target.applyToArray([&](const Adapter& item) {
            const auto [first, is_new] = known.emplace(text.of(item), index);
            if (!is_new && results) {
                results->pushError(context,
                                   fmt::format("Elements at indexes #{} and #{} violate uniqueness "
                                               "constraint.",
                                               first->second, index));
            }
            ++index;
            return is_new;
        });
    }

private:
    Budget* budget_;
};

/// `enum` and `const`: one look for the text of the value, however many values are allowed.
class ChoiceConstraint final : public OwnConstraint<ChoiceConstraint> {
public:
    using Texts = std::unordered_set<std::string>;

    ChoiceConstraint(Budget& budget, std::shared_ptr<const Texts> allowed, const char* problem)
        : budget_(&budget), allowed_(std::move(allowed)), problem_(problem) {}
    bool validate(const Adapter& target, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        if (allowed_->contains(ValueText(*budget_).of(target))) return true;
        if (results) results->pushError(context, problem_);
        return false;
    }

private:
    Budget* budget_;
    std::shared_ptr<const Texts> allowed_;
    const char* problem_;
};

/// `required`, which may list any number of names: only the first that are missing are told.
class RequiredConstraint final : public OwnConstraint<RequiredConstraint> {
public:
    using Names = std::vector<std::string>;

    explicit RequiredConstraint(std::shared_ptr<const Names> names) : names_(std::move(names)) {}
    bool validate(const Adapter& target, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        if (!target.isObject()) return true;
        std::unordered_set<std::string> present;
        target.applyToObject([&](const std::string& name, const Adapter&) {
            present.insert(name);
            return true;
        });
        std::size_t missing = 0;
        for (const std::string& name : *names_) {
            if (present.contains(name)) continue;
            ++missing;
            if (!results || missing > kMaxProblems) break;
            results->pushError(
                context, fmt::format("Missing required property '{}'.", sdk::shown_path(name)));
        }
        return missing == 0;
    }

private:
    std::shared_ptr<const Names> names_;
};

/// In linear time, whatever the expression is.
class ExpressionConstraint final : public OwnConstraint<ExpressionConstraint> {
public:
    ExpressionConstraint(const std::string& expression, std::string problem)
        : expression_(std::make_shared<RE2>(expression, RE2::Quiet)), problem_(std::move(problem)) {
        if (!expression_->ok())
            throw std::runtime_error("the expression " + expression + " cannot be used");
    }
    bool validate(const Adapter& target, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        if (!target.isString() || RE2::PartialMatch(target.asString(), *expression_)) return true;
        if (results) results->pushError(context, problem_);
        return false;
    }

private:
    std::shared_ptr<const RE2> expression_;
    std::string problem_;
};

struct Format {
    const char* name;
    const char* expression;
};

/// Formats that are checked; others are remarks, as the standard has it.
constexpr std::array kFormats{Format{"date", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},
                              Format{"time",
                                     "^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?"
                                     "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"},
                              Format{"date-time",
                                     "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]"
                                     "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?"
                                     "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"},
                              Format{"email", "^[^@\\s]+@[^@\\s]+$"},
                              Format{"uri", "^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]*$"}};

class StepBuilder final : public valijson::ConstraintBuilder {
public:
    explicit StepBuilder(Budget& budget) : budget_(budget) {}
    /// Reading a schema goes as deep as its references lead.
    valijson::constraints::Constraint* make(const Adapter&) const override {
        budget_.spend();
        return new StepConstraint(budget_);
    }

private:
    Budget& budget_;
};

class UniqueBuilder final : public valijson::ConstraintBuilder {
public:
    explicit UniqueBuilder(Budget& budget) : budget_(budget) {}
    valijson::constraints::Constraint* make(const Adapter&) const override {
        return new UniqueConstraint(budget_);
    }

private:
    Budget& budget_;
};

class EnumBuilder final : public valijson::ConstraintBuilder {
public:
    explicit EnumBuilder(Budget& budget) : budget_(budget) {}
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        if (!value.isArray()) throw std::runtime_error("enum must be an array");
        auto allowed = std::make_shared<ChoiceConstraint::Texts>();
        ValueText text(budget_);
        value.applyToArray([&](const Adapter& choice) {
            allowed->insert(text.of(choice));
            return true;
        });
        return new ChoiceConstraint(budget_, std::move(allowed),
                                    "Failed to match against any enum values.");
    }

private:
    Budget& budget_;
};

class ConstBuilder final : public valijson::ConstraintBuilder {
public:
    explicit ConstBuilder(Budget& budget) : budget_(budget) {}
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        auto allowed = std::make_shared<ChoiceConstraint::Texts>();
        allowed->insert(ValueText(budget_).of(value));
        return new ChoiceConstraint(budget_, std::move(allowed),
                                    "Failed to match expected value set by 'const' constraint.");
    }

private:
    Budget& budget_;
};

std::string text_of(const Adapter& value, const char* keyword) {
    if (!value.isString()) throw std::runtime_error(std::string(keyword) + " must be a string");
    return value.asString();
}

class RequiredBuilder final : public valijson::ConstraintBuilder {
public:
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        if (!value.isArray()) throw std::runtime_error("required must be an array");
        auto names = std::make_shared<RequiredConstraint::Names>();
        value.applyToArray([&](const Adapter& name) {
            names->push_back(text_of(name, "each name in required"));
            return true;
        });
        return new RequiredConstraint(std::move(names));
    }
};

class PatternBuilder final : public valijson::ConstraintBuilder {
public:
    explicit PatternBuilder(Budget& budget) : budget_(budget) {}
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        const std::string pattern = text_of(value, "pattern");
        budget_.spend_pattern(pattern);
        return new ExpressionConstraint(pattern, "does not match " + sdk::shown_path(pattern));
    }

private:
    Budget& budget_;
};

class FormatBuilder final : public valijson::ConstraintBuilder {
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        const std::string name = text_of(value, "format");
        for (const Format& format : kFormats) {
            if (name == format.name)
                return new ExpressionConstraint(format.expression, "is no " + name);
        }
        return new ExpressionConstraint("", "");
    }
};

/// `<root>`, `[name]`, `[0]` as a path with dots.
std::string dotted(const std::string& path, const std::vector<std::string>& context) {
    std::string joined = path;
    for (const std::string& step : context) {
        if (step.size() < 2 || step.front() != '[' || step.back() != ']') continue;
        if (!joined.empty()) joined += '.';
        joined.append(step, 1, step.size() - 2);
    }
    return sdk::shown_path(joined);
}

/// What only says that something further in is wrong, which is told as well.
bool is_summary(const std::string& description) {
    return description.starts_with("Failed to validate against child schema #") ||
           description.starts_with("Failed to validate against schema associated with property") ||
           description.starts_with("Failed to validate against dependent schema") ||
           description.starts_with("Failed to validate item #");
}

void add_problems(const valijson::ValidationResults& results, const std::string& path,
                  sdk::Violations& violations) {
    std::optional<sdk::Violation> summary;
    const std::size_t before = violations.size();
    for (const valijson::ValidationResults::Error& problem : results) {
        const bool is_hidden = is_summary(problem.description);
        if (is_hidden ? summary.has_value() : violations.size() >= kMaxProblems) continue;
        sdk::Violation violation{dotted(path, problem.context), "nodes.schema_violated",
                                 problem.description};
        if (is_hidden) {
            summary = std::move(violation);
        } else {
            violations.push_back(std::move(violation));
        }
    }
    if (violations.size() == before && summary) violations.push_back(*std::move(summary));
}

void check_root(const sdk::Json& document, const nlohmann::json& instance, const std::string& path,
                sdk::Violations& violations) {
    Budget budget;
    const nlohmann::json plain = document;
    valijson::Schema schema;
    valijson::SchemaParser parser;
    // The parser owns its builders.
    parser.addConstraintBuilder(kStepKey, new StepBuilder(budget));
    parser.addConstraintBuilder(kUniqueKey, new UniqueBuilder(budget));
    parser.addConstraintBuilder(kPatternKey, new PatternBuilder(budget));
    parser.addConstraintBuilder(kFormatKey, new FormatBuilder());
    parser.addConstraintBuilder(kEnumKey, new EnumBuilder(budget));
    parser.addConstraintBuilder(kConstKey, new ConstBuilder(budget));
    parser.addConstraintBuilder(kRequiredKey, new RequiredBuilder());
    parser.populateSchema(NlohmannJsonAdapter(plain), schema);
    valijson::ValidationResults results;
    valijson::Validator validator;
    const NlohmannJsonAdapter target(instance);
    try {
        if (!validator.validate(schema, target, &results)) add_problems(results, path, violations);
        return;
    } catch (const EnoughProblems&) {
        // They may all be of alternatives that need not fit: whether it fits is asked once more.
        budget.begin_again();
    }
    if (validator.validate(schema, target, nullptr)) return;
    const std::size_t before = violations.size();
    add_problems(results, path, violations);
    if (violations.size() == before)
        violations.push_back({path, "nodes.schema_violated", "fits none of the alternatives"});
}

}  // namespace

void check_schema(const SchemaDocument& schema, const sdk::Json& instance, const std::string& path,
                  sdk::Violations& violations) {
    if (schema.is_too_costly) {
        violations.push_back(
            {path, "nodes.schema_too_costly", "the schema has too many patterns for these names"});
        return;
    }
    const nlohmann::json plain = instance;
    sdk::Json document = schema.document;
    for (const std::string& root : schema.roots) {
        document["allOf"] = sdk::Json::array({{{"$ref", root}}});
        try {
            check_root(document, plain, path, violations);
        } catch (const BoundReached& bound) {
            violations.push_back(
                {path, "nodes.schema_too_costly", fmt::format("the schema {}", bound.what())});
        } catch (const std::runtime_error& fault) {
            violations.push_back({path, "nodes.definition_faulty",
                                  fmt::format("the schema cannot be used: {}", fault.what())});
        }
    }
}

}  // namespace stele::nodes
