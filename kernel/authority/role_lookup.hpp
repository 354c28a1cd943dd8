#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/authorities.hpp>

#include "kernel/authority/container_chain.hpp"

namespace stele::kernel::authority {

/// The custom role that is defined on exactly this record; nothing when there is none.
sdk::Result<std::optional<sdk::CustomRole>> defined_role(const sdk::Reader& reader,
                                                         std::string_view container,
                                                         std::string_view folded_key);
/// Reads what `define_role` stored.
sdk::Result<sdk::CustomRole> decode_role(std::string_view value);
std::string encode_role(const sdk::CustomRole& role);

/// Finds what a role key means on a record: a built-in role, else the custom role of the innermost
/// container that defines it. Remembers answers; for one evaluation.
class RoleLookup {
public:
    /// Both must outlive the look-up.
    RoleLookup(const sdk::Reader& reader, const ContainerChain& chain)
        : reader_(reader), chain_(chain) {}

    /// As seen from `chain[level]`; nothing when the key is unknown there.
    sdk::Result<std::optional<sdk::CustomRole>> find(std::size_t level,
                                                     std::string_view folded_key);

private:
    struct Known {
        std::size_t level;
        std::string folded_key;
        std::optional<sdk::CustomRole> role;
    };

    const sdk::Reader& reader_;
    const ContainerChain& chain_;
    std::vector<Known> known_;
};

}  // namespace stele::kernel::authority
