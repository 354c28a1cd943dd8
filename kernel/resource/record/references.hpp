#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

#include "kernel/resource/record/records.hpp"

namespace stele::kernel::resource {

/// Writes and reads references (docs/specification/platform.md 17). Any thread.
class References {
public:
    explicit References(const Records& records) : records_(records) {}

    sdk::Result<std::string> reference(const sdk::Reader& reader,
                                       const sdk::PlatformScope& platform,
                                       const sdk::RecordKey& key) const;
    /// `not_found` when there is no such record on the platform, `invalid` when the text is no
    /// reference.
    sdk::Result<sdk::RecordKey> find(const sdk::Reader& reader, const sdk::PlatformScope& platform,
                                     std::string_view reference) const;

private:
    sdk::Result<sdk::RecordKey> find_team(const sdk::Reader& reader,
                                          const sdk::PlatformScope& platform,
                                          std::string_view reference) const;

    const Records& records_;
};

}  // namespace stele::kernel::resource
