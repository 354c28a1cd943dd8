#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/record_space.hpp>

#include "version_space.hpp"

namespace stele::nodes {

/// The families whose records lie in lines, and the plugin's own rows beside them; the first byte
/// of a versioned key. The second is the tag.
inline constexpr char kNodeSlot = 'n';
inline constexpr char kDeletionSlot = 'd';
inline constexpr char kGraphSlot = 'g';
inline constexpr char kEdgeTag = 'E';
inline constexpr char kNameTag = 'P';  ///< names in folders
inline constexpr char kMiscTag = 'M';
inline constexpr std::size_t kSlotAndTag = 2;

/// `VersionSpace::KeepingOf` for these keys: every entry of a line has one.
Keeping keeping_of(std::string_view versioned_key);

/// Turns the keys that the kernel uses for a collection into versioned ones, slot, tag and rest,
/// and back. Collections of one family on different lines get the same keys.
class CollectionKeys {
public:
    CollectionKeys(sdk::SpaceCollection collection, char slot)
        : collection_(std::move(collection)), slot_(slot) {}

    /// False for what lies in the store. `internal` (`nodes.branch_key_unknown`) where the kernel
    /// and `keeping_of` do not agree about a key.
    sdk::Result<bool> versioned(std::string_view key, std::string& versioned_key) const;

    /// Keys of one tag, both ways.
    struct Range {
        sdk::KeyRange versioned;
        std::string head;
        std::string prefix;

        /// A place beyond the tag's keys stays beyond them.
        std::string versioned_place(std::string_view key) const;
        void write_key(std::string_view versioned_key, std::string& key) const {
            key.assign(head).append(versioned_key.substr(prefix.size()));
        }
    };
    /// Nothing for what lies in the store. `internal` (`nodes.branch_range_unknown`) for a range
    /// that does not lie within one tag.
    sdk::Result<std::optional<Range>> versioned(const sdk::KeyRange& range) const;

private:
    sdk::Result<std::string> prefix_of(const sdk::SpaceKey& key) const;

    sdk::SpaceCollection collection_;
    char slot_;
};

}  // namespace stele::nodes
