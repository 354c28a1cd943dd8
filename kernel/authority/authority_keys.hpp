#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/principal.hpp>

/// The entries of this room and their bytes; kernel/storage/engine/keys.hpp has the layout of the
/// whole store. Record keys stand in the keys as they are: none is a prefix of another, and what
/// begins with the prefix of a collection's record keys stays one range.
namespace stele::kernel::authority {

/// Bytes at the end of a record key.
inline constexpr std::size_t kSequenceSize = 10;

inline constexpr char kGrantTag = 'g';
inline constexpr char kGrantOfTag = 'G';
inline constexpr char kMemberTag = 'm';
inline constexpr char kMembershipTag = 'M';
inline constexpr char kRoleTag = 'r';
inline constexpr char kSourceTag = 'h';
inline constexpr char kHeirTag = 'H';
inline constexpr char kOwnsInsideTag = 'o';
inline constexpr char kEveryoneTag = 'e';
inline constexpr char kWithdrawalsTag = 'v';
// Written by the rooms of records, and looked at here.
inline constexpr char kRemovalTag = 'R';
inline constexpr char kStoreTag = 'S';
inline constexpr char kOpenStoreRow = 'o';

/// The platform of a record key; `internal` when the bytes are none.
sdk::Result<std::uint64_t> platform_of(std::string_view record_key);
/// Cuts off the record key that the bytes begin with; nothing when they begin with none.
std::optional<std::string_view> cut_record_key(std::string_view& bytes);

/// Role keys are compared without regard to the case of ASCII letters.
std::string fold_role_key(std::string_view role_key);

/// Prefix of the entries of one record, group or member under a tag.
std::string entries_prefix(std::uint64_t platform, char tag, std::string_view first);
/// Prefix of the grants of one principal on one record, which come before the role in that order or
/// the other.
std::string grant_key_prefix(std::uint64_t platform, char tag, std::string_view first,
                             std::string_view second);
/// The same with the folded key of a role.
std::string grant_key(std::uint64_t platform, char tag, std::string_view first,
                      std::string_view second, std::string_view role_key);
/// `first` and `second`: group and member, or the other way round; heir and source likewise.
std::string membership_key(std::uint64_t platform, char tag, std::string_view first,
                           std::string_view second);
std::string role_definition_key(std::uint64_t platform, std::string_view container,
                                std::string_view role_key);
std::string everyone_key(std::uint64_t platform);
/// The counter of what may have taken rights away on a platform.
std::string withdrawals_key(std::uint64_t platform);
/// The mark of a collection whose container was removed.
std::string removal_key(std::uint64_t platform, std::uint64_t collection);

/// The failure of bytes that this room did not write.
sdk::Error broken_entry(std::string_view what);

/// Visits the entries under a prefix: `visit(rest of the key, value)` answers `Result<void>`, and a
/// failure ends the walk.
template <class Visit>
sdk::Result<void> each_entry(const sdk::Reader& reader, const std::string& prefix, Visit&& visit) {
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const sdk::Result<void> visited =
            visit(cursor->key().substr(prefix.size()), cursor->value());
        if (!visited) return visited;
    }
    return cursor->status();
}

}  // namespace stele::kernel::authority
