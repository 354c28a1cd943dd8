#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::storage {

/// Numbers for field paths, so that index keys are short. Append-only; a number never changes its
/// meaning. Any thread; known names cost one hash look-up. At most `kCached` names are held in
/// memory, the others are read from the store.
class NameTable {
public:
    explicit NameTable(sdk::Engine& engine) : engine_(engine) {}

    /// The number of a name, if it has one.
    sdk::Result<std::optional<std::uint64_t>> find(const sdk::Reader& reader,
                                                   std::string_view name);
    /// The number of a name; gives it one inside `transaction` when it has none. A number becomes
    /// known to others only with the commit.
    sdk::Result<std::uint64_t> intern(sdk::Transaction& transaction, std::string_view name);

private:
    static constexpr std::size_t kCached = 65536;

    /// Names are looked up without making a string of them.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>()(name);
        }
    };

    std::optional<std::uint64_t> known(std::string_view name);
    /// What is committed by now, whatever an open transaction may hold.
    sdk::Result<std::optional<std::uint64_t>> find_committed(std::string_view name,
                                                             const std::string& path);
    void remember(std::string_view name, std::uint64_t number);
    bool is_full();

    sdk::Engine& engine_;
    std::shared_mutex mutex_;
    std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace stele::kernel::storage
