#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A definition as far as schemas go.
struct SchemaPart {
    sdk::Json schema;
    /// The QName itself and what it extends, nearest first.
    std::vector<std::string> chain;
};

/// By QName.
using SchemaParts = std::map<std::string, SchemaPart>;

/// Adds the definition of a QName, those that it extends, and those that any of them refers to
/// (`"$ref": "qname://custom:author"`). What is not defined is left out. `invalid`
/// (`nodes.schema_too_large`) beyond a few hundred.
sdk::Result<void> load_schema_parts(const BranchContent& content, std::string_view qname,
                                    SchemaParts& parts);

/// QNames of other definitions that a schema refers to.
std::vector<std::string> referred_definitions(const sdk::Json& schema);

/// One document of JSON Schema, draft 7, out of parts: what the validator can be trusted with.
struct SchemaDocument {
    sdk::Json document;
    /// Where each link of the asked chain lies in it, as references.
    std::vector<std::string> roots;
    /// It would be larger than anything that is worth a look; what is missing of it is left out.
    bool is_too_costly = false;
};

/// Members that stand for what the validator is to do in our way (`schema_validation.cpp`).
inline constexpr char kStepKey[] = "stele:step";
inline constexpr char kPatternKey[] = "stele:pattern";
inline constexpr char kFormatKey[] = "stele:format";
inline constexpr char kUniqueKey[] = "stele:unique";
inline constexpr char kEnumKey[] = "stele:enum";
inline constexpr char kConstKey[] = "stele:const";
inline constexpr char kRequiredKey[] = "stele:required";

/// The parts, evened out to draft 7 (drafts 3 and 4 are understood), for checking `instance`: its
/// member names decide what `patternProperties` means. `qname` is one of the parts.
SchemaDocument schema_document(const SchemaParts& parts, const std::string& qname,
                               const sdk::Json& instance);

}  // namespace stele::nodes
