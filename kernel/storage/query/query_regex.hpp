#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace stele::kernel::storage {

/// A compiled regular expression, or why there is none.
struct CompiledRegex {
    std::shared_ptr<const re2::RE2> expression;
    std::string problem;
};

/// Compiles a pattern of the query language for searching in linear time and bounded memory.
/// `options` holds letters of `imsx`.
CompiledRegex compile_regex(std::string_view pattern, std::string_view options);

}  // namespace stele::kernel::storage
