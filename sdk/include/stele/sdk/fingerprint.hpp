#pragma once

#include <string_view>

#include <bits/c++config.h>

namespace stele::sdk {

namespace detail {
#define STELE_TEXT_OF(x) #x
#define STELE_TEXT(x) STELE_TEXT_OF(x)
#if defined(__SANITIZE_ADDRESS__)
#define STELE_BUILD_KIND "address"
#elif defined(__SANITIZE_THREAD__)
#define STELE_BUILD_KIND "thread"
#else
#define STELE_BUILD_KIND "plain"
#endif
#if defined(__clang__)
#define STELE_COMPILER "clang"
#else
#define STELE_COMPILER "gcc"
#endif
}  // namespace detail

/// Compiler, standard library and build kind of the code that includes this header. C++ objects
/// cross the plugin boundary, so kernel and plugin must agree on it exactly (docs/plugin-life.md).
inline constexpr std::string_view kFingerprint =
    STELE_COMPILER " " __VERSION__ "; libstdc++ " STELE_TEXT(__GLIBCXX__) "; " STELE_BUILD_KIND;

#undef STELE_COMPILER
#undef STELE_BUILD_KIND
#undef STELE_TEXT
#undef STELE_TEXT_OF

}  // namespace stele::sdk
