#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::pagination {

/// Whether a text may be the name of a locale; the locale need not exist.
bool is_locale(std::string_view text);

/// How the readers of a locale order strings. Immutable, any thread.
class Collation {
public:
    virtual ~Collation() = default;

    /// The collation of a locale that is not empty. Ones used lately are kept and shared.
    static sdk::Result<std::shared_ptr<const Collation>> find(const sdk::SortOptions& options);

    /// Appends bytes that compare with `memcmp` as the texts do. They end with a 0 byte and have no
    /// other.
    virtual void append_key(std::string_view text, std::string& key) const = 0;
};

}  // namespace stele::kernel::pagination
