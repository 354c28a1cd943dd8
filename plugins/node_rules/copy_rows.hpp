#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// Everything joins the given transaction. Any thread.
namespace copies {

/// Whether rules have brought the node anywhere; `CopyWay::to` means nothing.
sdk::Result<bool> has_any(const sdk::Reader& reader, const CopyWay& way);
sdk::Result<std::optional<CopyRow>> read(const sdk::Reader& reader, const CopyWay& way);
void write(sdk::Transaction& transaction, const CopyWay& way, const CopyRow& row);
void forget(sdk::Transaction& transaction, const CopyWay& way);

}  // namespace copies

inline constexpr char kCopySpace[] = "node_rules.copy";

}  // namespace stele::node_rules
