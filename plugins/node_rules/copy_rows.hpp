#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

namespace stele::node_rules {

/// That rules have brought a node to a branch, and what both said then. Only such a copy goes with
/// its source, and what both say still is brought no second time, neither way: rules that bring a
/// node to and fro come to an end.
///
///   node_rules.copy   repository source-branch node target-branch -> digest of both
struct CopyRow {
    std::uint64_t source = 0;
    std::uint64_t copy = 0;

    friend bool operator==(const CopyRow&, const CopyRow&) = default;
};

/// From where to where.
struct CopyWay {
    sdk::ContentSpace space;
    sdk::RecordKey from;
    std::string node;
    sdk::RecordKey to;
};

/// A change that somebody made and that rules bring from branch to branch.
struct Wave {
    /// Where it was made, by which changeset, and when.
    sdk::RecordKey branch;
    std::string changeset;
    std::uint64_t ms = 0;

    bool is_same(const Wave& other) const {
        return branch == other.branch && changeset == other.changeset;
    }
    /// Than one that was made elsewhere; what was made in one place comes in its order anyway.
    bool is_newer(const Wave& other) const {
        return branch != other.branch && std::tie(ms, branch) > std::tie(other.ms, other.branch);
    }
};

/// The changeset by which a rule wrote a copy last, and what it brought. With it two changes of a
/// node that were made at two places of a circle of rules do not follow one another round for ever:
/// the newer one comes everywhere, the older one ends where it meets it.
///
///   node_rules.wave   repository branch node -> changeset of the copy, wave
struct BroughtWave {
    std::string changeset;
    Wave wave;
};

/// Everything joins the given transaction. Any thread.
namespace copies {

/// Whether rules have brought the node anywhere; `CopyWay::to` means nothing.
sdk::Result<bool> has_any(const sdk::Reader& reader, const CopyWay& way);
sdk::Result<std::optional<CopyRow>> read(const sdk::Reader& reader, const CopyWay& way);
void write(sdk::Transaction& transaction, const CopyWay& way, const CopyRow& row);
void forget(sdk::Transaction& transaction, const CopyWay& way);

/// Nothing where no rule has brought the node to the branch.
sdk::Result<std::optional<BroughtWave>> read_wave(const sdk::Reader& reader,
                                                  const sdk::ContentSpace& space,
                                                  const sdk::RecordKey& branch,
                                                  const std::string& node);
void write_wave(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                const sdk::RecordKey& branch, const std::string& node, const BroughtWave& brought);
void forget_wave(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                 const sdk::RecordKey& branch, const std::string& node);

}  // namespace copies

inline constexpr char kCopySpace[] = "node_rules.copy";
inline constexpr char kWaveSpace[] = "node_rules.wave";

}  // namespace stele::node_rules
