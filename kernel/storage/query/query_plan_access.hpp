#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/index/space_index.hpp"
#include "kernel/storage/query/query.hpp"

namespace stele::kernel::storage {

struct IndexRange {
    sdk::KeyRange keys;
    /// Every record with an entry in the range fulfils the conditions that the access covers.
    bool is_exact = false;
    /// All entries have the same value, so their sequences come in order.
    bool is_one_value = false;
};

/// An access path to all records that fulfil some of a query's conditions, and perhaps others.
struct AccessPath {
    std::vector<IndexRange> ranges;
    /// Ids that `_doc` is compared with: the records are looked up instead.
    std::optional<std::vector<std::string>> ids;
    /// No record has an entry in two of the ranges, and where all are of one value, these are the
    /// same.
    bool is_one_equality = false;
    /// How many of the conditions hold for a record that is found in an exact range.
    std::size_t covered = 0;
    /// For `explain`.
    std::vector<std::string> conditions;
    /// Whose entries these are; null for automatic ones.
    const SpaceIndex* index = nullptr;
};

/// Finds what of a query entries can answer: the automatic ones, or those under some values of an
/// index.
class AccessFinder {
public:
    /// The number of a field that no record ever had.
    static constexpr std::uint64_t kUnknownField = ~std::uint64_t{0};
    /// What the entries of a field begin with, up to their kind; empty when it has none.
    using Prefixes = std::vector<std::string>;
    using IndexedField = std::function<sdk::Result<Prefixes>(std::string_view path)>;

    /// `explains`: accesses tell their conditions. `is_automatic`: the entries are.
    AccessFinder(bool explains, bool is_automatic, IndexedField field)
        : explains_(explains), is_automatic_(is_automatic), field_(std::move(field)) {}

    /// One access for each of the conditions that has one; ranges of one field are joined.
    sdk::Result<std::vector<AccessPath>> find(
        const std::vector<const Query::Node*>& conditions) const;

private:
    sdk::Result<std::optional<AccessPath>> of_condition(const Query::Node& node) const;
    sdk::Result<std::optional<AccessPath>> of_values(const Query::Node& node) const;
    sdk::Result<std::optional<AccessPath>> of_prefix(const Query::Node& node) const;
    sdk::Result<std::optional<AccessPath>> of_alternatives(const Query::Node& node) const;
    sdk::Result<std::optional<AccessPath>> of_element(const Query::Node& node) const;
    sdk::Result<std::optional<AccessPath>> of_bounds(
        const std::vector<const Query::Node*>& bounds) const;
    sdk::Result<std::optional<AccessPath>> any_of_all(
        const std::vector<const Query::Node*>& conditions) const;

    void describe(const Query::Node& node, AccessPath& access) const;

    bool explains_;
    bool is_automatic_;
    IndexedField field_;
};

/// The conditions that must all hold, whatever the nesting of `$and`.
std::vector<const Query::Node*> conditions_of(const Query::Node& root);

/// The equality element (see composite_index.hpp) when the condition is an equality that an entry
/// proves; empty otherwise.
std::string exact_equality(const Query::Node& node);

}  // namespace stele::kernel::storage
