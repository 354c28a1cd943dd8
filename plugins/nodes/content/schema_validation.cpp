#include "content/schema_validation.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <re2/re2.h>
#include <nlohmann/json.hpp>

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
constexpr std::size_t kMostSteps = 100'000;
/// Bytes of stack: a schema that refers to itself without going deeper into the document.
constexpr std::ptrdiff_t kMostStack = 1 << 20;
/// `uniqueItems` compares every item with every other.
constexpr std::size_t kMostUniqueItems = 2'000;
constexpr std::size_t kMostProblems = 100;

struct BoundReached : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Budget {
public:
    Budget() : start_(place()) {}

    void spend() {
        if (++steps_ > kMostSteps) throw BoundReached("takes too many steps");
        if (start_ - place() > kMostStack) throw BoundReached("leads back to itself");
    }

private:
    static const char* place() { return static_cast<const char*>(__builtin_frame_address(0)); }

    const char* start_;
    std::size_t steps_ = 0;
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
    bool validate(const Adapter&, const std::vector<std::string>&,
                  valijson::ValidationResults*) const override {
        budget_->spend();
        return true;
    }

private:
    Budget* budget_;
};

class UniqueBound final : public OwnConstraint<UniqueBound> {
public:
    bool validate(const Adapter& target, const std::vector<std::string>&,
                  valijson::ValidationResults*) const override {
        if (target.isArray() && target.getArraySize() > kMostUniqueItems)
            throw BoundReached("compares too many items");
        return true;
    }
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
    valijson::constraints::Constraint* make(const Adapter&) const override {
        return new UniqueBound();
    }
};

std::string text_of(const Adapter& value, const char* keyword) {
    if (!value.isString()) throw std::runtime_error(std::string(keyword) + " must be a string");
    return value.asString();
}

class PatternBuilder final : public valijson::ConstraintBuilder {
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        const std::string pattern = text_of(value, "pattern");
        return new ExpressionConstraint(pattern, "does not match " + pattern);
    }
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
    return joined;
}

/// What only says that something further in is wrong, which is told as well.
bool is_summary(const std::string& description) {
    return description.starts_with("Failed to validate against child schema #") ||
           description.starts_with("Failed to validate against schema associated with property") ||
           description.starts_with("Failed to validate item #");
}

void add_problems(valijson::ValidationResults& results, const std::string& path,
                  sdk::Violations& violations) {
    sdk::Violations summaries;
    const std::size_t before = violations.size();
    valijson::ValidationResults::Error problem;
    while (results.popError(problem)) {
        const bool is_hidden =
            is_summary(problem.description) || violations.size() >= kMostProblems;
        (is_hidden ? summaries : violations)
            .push_back(
                {dotted(path, problem.context), "node.schema_violated", problem.description});
    }
    if (violations.size() == before && !summaries.empty())
        violations.push_back(std::move(summaries.front()));
}

void check_root(const sdk::Json& document, const nlohmann::json& instance, const std::string& path,
                sdk::Violations& violations) {
    Budget budget;
    const nlohmann::json plain = document;
    valijson::Schema schema;
    valijson::SchemaParser parser;
    // The parser owns its builders.
    parser.addConstraintBuilder(kStepKey, new StepBuilder(budget));
    parser.addConstraintBuilder(kUniqueKey, new UniqueBuilder());
    parser.addConstraintBuilder(kPatternKey, new PatternBuilder());
    parser.addConstraintBuilder(kFormatKey, new FormatBuilder());
    parser.populateSchema(NlohmannJsonAdapter(plain), schema);
    valijson::ValidationResults results;
    valijson::Validator validator;
    if (!validator.validate(schema, NlohmannJsonAdapter(instance), &results))
        add_problems(results, path, violations);
}

}  // namespace

void check_schema(const SchemaDocument& schema, const sdk::Json& instance, const std::string& path,
                  sdk::Violations& violations) {
    const nlohmann::json plain = instance;
    sdk::Json document = schema.document;
    for (const std::string& root : schema.roots) {
        document["allOf"] = sdk::Json::array({{{"$ref", root}}});
        try {
            check_root(document, plain, path, violations);
        } catch (const BoundReached& bound) {
            violations.push_back(
                {path, "node.schema_too_costly", fmt::format("the schema {}", bound.what())});
        } catch (const std::runtime_error& fault) {
            violations.push_back({path, "node.definition_faulty",
                                  fmt::format("the schema cannot be used: {}", fault.what())});
        }
    }
}

}  // namespace stele::nodes
