#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "kernel/storage/query/query.hpp"
#include "kernel/storage/record/record.hpp"
#include "tests/support/naive_query.hpp"
#include "tests/support/random_document.hpp"

namespace stele::testing {
namespace {

using kernel::storage::Query;
using sdk::Json;

constexpr std::size_t kDocuments = 10;

class PaddedText {
public:
    explicit PaddedText(const Json& document) : bytes_(sdk::dump_json(document)) {
        size_ = bytes_.size();
        bytes_.append(kernel::storage::Record::kPadding, '\0');
    }
    std::string_view text() const { return std::string_view(bytes_).substr(0, size_); }

private:
    std::string bytes_;
    std::size_t size_ = 0;
};

Query parsed(const Json& document) {
    auto query = Query::parse(document);
    if (query.has_error()) FAIL(document.dump() << ": " << query.error().message);
    return std::move(*query);
}

struct Outcomes {
    std::size_t matches = 0;
    std::size_t failures = 0;
};

/// How often queries with an operator matched and failed: a test of random cases that all go the
/// same way proves nothing.
void check_balance(const std::map<std::string, Outcomes>& outcomes) {
    for (const auto& [name, count] : outcomes) {
        INFO(name << " matched " << count.matches << " times, failed " << count.failures);
        CHECK(count.matches * 50 > count.failures);
        CHECK(count.failures * 50 > count.matches);
    }
}

TEST_CASE("random queries match random documents as the plain evaluator says") {
    const std::uint64_t seed = test_seed();
    std::cout << "STELE_TEST_SEED=" << seed << std::endl;
    RandomDocuments random(seed);
    std::map<std::string, Outcomes> outcomes;
    const std::size_t cases = test_cases(100000);
    REQUIRE(cases > 0);
    std::size_t done = 0;
    while (done < cases) {
        std::vector<Json> documents;
        for (std::size_t i = 0; i < kDocuments; ++i)
            documents.push_back(random.document());
        for (std::size_t i = 0; i < kDocuments && done < cases; ++i) {
            const Json asked = random.query();
            const std::string asked_text = asked.dump();
            const Query query = parsed(asked);
            for (const Json& document : documents) {
                const PaddedText padded(document);
                const bool expected = naive_matches(asked, document);
                if (query.matches(padded.text()) != expected)
                    FAIL(asked_text << " on " << document.dump() << " gives " << !expected);
                for (const std::string& name : random_operators()) {
                    if (asked_text.find(name + "\"") == std::string::npos) continue;
                    Outcomes& count = outcomes[name];
                    ++(expected ? count.matches : count.failures);
                }
                ++done;
            }
        }
    }
    // Each query is asked of many documents, so fewer cases are a handful of queries with an
    // operator.
    if (cases < 100000) return;
    for (const std::string& name : random_operators()) {
        INFO(name);
        CHECK(outcomes.contains(name));
    }
    check_balance(outcomes);
}

TEST_CASE("random selections of fields leave what the plain evaluator leaves") {
    const std::uint64_t seed = test_seed();
    std::cout << "STELE_TEST_SEED=" << seed << std::endl;
    RandomDocuments random(seed);
    const std::size_t cases = test_cases(100000) / 10;
    REQUIRE(cases > 0);
    for (std::size_t done = 0; done < cases;) {
        const Json asked = random.query();
        if (!asked.contains("_fields")) continue;
        const Query query = parsed(asked);
        for (int i = 0; i < 10; ++i, ++done) {
            const Json document = random.document();
            const auto kept = sdk::parse_json(query.project(PaddedText(document).text()));
            REQUIRE(kept.has_value());
            if (const Json expected = naive_project(asked, document); *kept != expected)
                FAIL(asked.dump() << " on " << document.dump() << " leaves " << kept->dump());
        }
    }
}

}  // namespace
}  // namespace stele::testing
