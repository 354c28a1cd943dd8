#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::testing {

/// Documents and queries that fit each other: few names and few values, the awkward ones among
/// them, so that queries match and fail about as often.
class RandomDocuments {
public:
    explicit RandomDocuments(std::uint64_t seed) : random_(seed) {}

    sdk::Json document();
    /// A right query, `_fields` included now and then.
    sdk::Json query();
    /// A dotted name that may exist.
    std::string path();

    /// A number below `end`.
    std::size_t below(std::size_t end);

private:
    sdk::Json value(int depth);
    sdk::Json scalar();
    sdk::Json object(int depth);
    sdk::Json array(int depth);
    std::string name();
    sdk::Json conditions(int depth);
    sdk::Json operators(int depth);
    void add_operator(sdk::Json& operators, std::string_view name, int depth);
    sdk::Json element_conditions(int depth);
    sdk::Json list();
    sdk::Json type();
    sdk::Json fields();
    std::string pattern(bool is_extended);

    std::mt19937_64 random_;
};

/// The operators that queries have.
const std::vector<std::string>& random_operators();

/// How many cases a random test runs: the environment's STELE_TEST_CASES, or `usual`; a fifth of
/// them with STELE_SHORT=1, and with STELE_SHORT=ci, but for those with STELE_WHOLE_IN_CI.
std::size_t test_cases(std::size_t usual);
/// The first of them: the environment's STELE_TEST_FIRST, or 0.
std::uint64_t first_test_case();
/// The environment's STELE_TEST_SEED, or a new one.
std::uint64_t test_seed();

}  // namespace stele::testing
