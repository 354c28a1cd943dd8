#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds against hostile queries (docs/reference/graphql.md).
namespace stele::graphql {

inline constexpr std::size_t kMaxQueryBytes = 64 * 1024;
/// Nesting of braces and brackets in the text of a query.
inline constexpr std::size_t kMaxTextDepth = 50;
/// Nesting of selected fields, fragments written out.
inline constexpr std::size_t kMaxDepth = 20;
/// Selected fields, fragments written out.
inline constexpr std::size_t kMaxSelected = 2000;
inline constexpr std::size_t kMaxRootFields = 50;
/// Problems that one answer tells.
inline constexpr std::size_t kMaxProblems = 50;

inline constexpr std::int64_t kDefaultLimit = 1000;
/// Nodes that one request looks at, over all of its fields.
inline constexpr std::uint64_t kMaxRows = 20'000;
/// The same in bytes, roughly.
inline constexpr std::uint64_t kMaxRowBytes = 64 * 1024 * 1024;
inline constexpr std::size_t kMaxHits = 1000;
inline constexpr std::size_t kMaxAnswerBytes = 32 * 1024 * 1024;

inline constexpr std::size_t kMaxDefinitions = 2000;
/// Fields of all types of a schema.
inline constexpr std::size_t kMaxSchemaFields = 50'000;
/// Definitions that one inherits from, itself included.
inline constexpr std::size_t kMaxParents = 20;
/// Nesting of objects in a definition that get types of their own.
inline constexpr int kMaxTypeDepth = 8;

}  // namespace stele::graphql
