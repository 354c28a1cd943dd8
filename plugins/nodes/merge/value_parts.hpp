#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::nodes {

/// What a value is in each version; null where it is not there.
struct Versions {
    const sdk::Json* base = nullptr;
    const sdk::Json* source = nullptr;
    const sdk::Json* target = nullptr;

    std::array<const sdk::Json*, 3> all() const { return {base, source, target}; }
};

/// The members of an object or the elements of an array, by their names, in their order. Names and
/// values lie elsewhere.
class Parts {
public:
    using Names = std::vector<std::string_view>;

    void add(std::string_view name, const sdk::Json& value);
    /// Once, when all are there, and before any is looked for; false where two have one name.
    bool index();

    const Names& names() const { return names_; }
    /// Null where there is none.
    const sdk::Json* find(std::string_view name) const;

private:
    Names names_;
    std::vector<const sdk::Json*> values_;
    std::unordered_map<std::string_view, const sdk::Json*> by_name_;
};

/// The parts of a value in each version.
struct PartVersions {
    Parts base;
    Parts source;
    Parts target;

    Versions of(std::string_view name) const;
};

/// Of objects; those that are not there have none.
PartVersions members_of(const Versions& objects);

/// An array in each version, its parts by what a member of its elements says.
struct ArrayParts {
    const char* identity = nullptr;
    /// What the names of the parts lie in.
    std::array<std::vector<std::string>, 3> ids;
    PartVersions parts;
};
/// Nothing where no member tells all elements apart in each version.
std::optional<ArrayParts> elements_of(const Versions& arrays);

/// Whether the objects, as far as they are there, are or name the same thing: where one has a `ref`
/// that is a reference, all have that.
bool name_the_same(const Versions& objects);

}  // namespace stele::nodes
