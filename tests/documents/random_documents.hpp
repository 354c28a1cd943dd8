#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>

#include "tests/support/random_document.hpp"

namespace stele::tests {

/// Whether it succeeded, whatever was answered.
template <class T>
sdk::Result<void> done(const sdk::Result<T>& result) {
    if (!result) return result.error();
    return {};
}

/// Documents, queries and pages that often meet one another: few names, few values, and everything
/// that indexes treat in a special way.
class RandomDocuments {
public:
    explicit RandomDocuments(std::uint64_t seed) : random_(seed), plain_(seed) {}

    sdk::Json document();
    /// One of a few hundred values in an array: beyond what is indexed.
    sdk::Json wide_document();
    /// The member `_system`.
    sdk::Json deeds();
    sdk::Json query();
    sdk::PageRequest page();

    /// A number from 0 up to, not including, `end`.
    std::size_t below(std::size_t end);
    bool one_in(std::size_t chances) { return below(chances) == 0; }
    template <class T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

private:
    sdk::Json scalar();
    sdk::Json value();
    sdk::Json condition();
    sdk::Json conditions(std::size_t most);
    sdk::Json operators();
    std::string field();

    std::mt19937_64 random_;
    /// What the query language itself is tested with.
    testing::RandomDocuments plain_;
};

}  // namespace stele::tests
