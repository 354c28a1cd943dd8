#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// A string, number or boolean of a record's text.
struct WalkedValue {
    enum class Type { text, number, boolean };

    Type type = Type::text;
    /// The string; of a number or boolean its JSON text.
    std::string_view text;
    double number = 0;
    /// False when the way to the value leads through an array.
    bool is_direct = true;
};

/// Receives the values of a record in the order of its text. Paths are dotted names; an element of
/// an array has the path of the array.
class ValueSink {
public:
    virtual ~ValueSink() = default;
    virtual sdk::Result<void> scalar(std::string_view path, const WalkedValue& value) = 0;
    /// An object or array that lies at `path`, before its contents.
    virtual void structure(std::string_view path, bool is_array, bool is_direct) = 0;
};

/// Walks a record's text once. `text` must have `Record::kPadding` readable bytes behind it.
///
/// Left out are members that no dotted path names without doubt (an empty name, one with a dot, one
/// of digits only, which could be an array's index), null, and what lies in an array that is itself
/// an element of an array: the query language does not look into it.
sdk::Result<void> walk_values(std::string_view text, std::initializer_list<ValueSink*> sinks);

/// Whether the path can only mean nested members: no empty name and none of digits.
bool is_unambiguous_path(std::string_view path);

/// Whether an automatic index may exist for the path; told from the path alone, so that writers and
/// planner agree: `_doc` has its own rows, times are found by `.ms`, doubtful and very long names
/// have none.
bool is_indexable_path(std::string_view path);

/// Whether `path` is one of `fields` or lies below one.
bool is_covered_by(std::string_view path, const std::vector<std::string>& fields);

}  // namespace stele::kernel::storage
