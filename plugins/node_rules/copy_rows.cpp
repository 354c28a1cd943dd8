#include "copy_rows.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_rules {

namespace {

std::string prefix_of(const CopyWay& way) {
    return sdk::KeyWriter(sdk::plugin_key_space(way.space.platform, kCopySpace))
        .integer(way.space.repository)
        .text(way.from)
        .text(way.node)
        .key();
}

std::string key_of(const CopyWay& way) {
    return sdk::KeyWriter(prefix_of(way)).text(way.to).key();
}

std::string wave_key(const sdk::ContentSpace& space, const sdk::RecordKey& branch,
                     const std::string& node) {
    return sdk::KeyWriter(sdk::plugin_key_space(space.platform, kWaveSpace))
        .integer(space.repository)
        .text(branch)
        .text(node)
        .key();
}

}  // namespace

sdk::Result<bool> copies::has_any(const sdk::Reader& reader, const CopyWay& way) {
    const std::string prefix = prefix_of(way);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    if (auto status = cursor->status(); !status) return status.error();
    return cursor->is_valid();
}

sdk::Result<std::optional<CopyRow>> copies::read(const sdk::Reader& reader, const CopyWay& way) {
    auto row = reader.get(key_of(way));
    if (!row) return row.error();
    if (!*row) return std::optional<CopyRow>();
    sdk::KeyReader value(**row);
    const auto source = value.integer();
    const auto copy = value.integer();
    // What cannot be read tells no digests; that there is a copy it does.
    return std::optional(CopyRow{source.value_or(0), copy.value_or(0)});
}

void copies::write(sdk::Transaction& transaction, const CopyWay& way, const CopyRow& row) {
    transaction.put(key_of(way), sdk::KeyWriter().integer(row.source).integer(row.copy).key());
}

void copies::forget(sdk::Transaction& transaction, const CopyWay& way) {
    transaction.remove(key_of(way));
}

sdk::Result<std::optional<BroughtWave>> copies::read_wave(const sdk::Reader& reader,
                                                          const sdk::ContentSpace& space,
                                                          const sdk::RecordKey& branch,
                                                          const std::string& node) {
    auto row = reader.get(wave_key(space, branch, node));
    if (!row) return row.error();
    if (!*row) return std::optional<BroughtWave>();
    sdk::KeyReader value(**row);
    auto changeset = value.text();
    auto from = value.text();
    auto made = value.text();
    const auto ms = value.integer();
    // What cannot be read tells of no wave: the copy counts as its own.
    if (!changeset || !from || !made || !ms) return std::optional<BroughtWave>();
    return std::optional(
        BroughtWave{*std::move(changeset), {*std::move(from), *std::move(made), *ms}});
}

void copies::write_wave(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                        const sdk::RecordKey& branch, const std::string& node,
                        const BroughtWave& brought) {
    const Wave& wave = brought.wave;
    transaction.put(wave_key(space, branch, node), sdk::KeyWriter()
                                                       .text(brought.changeset)
                                                       .text(wave.branch)
                                                       .text(wave.changeset)
                                                       .integer(wave.ms)
                                                       .key());
}

void copies::forget_wave(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                         const sdk::RecordKey& branch, const std::string& node) {
    transaction.remove(wave_key(space, branch, node));
}

}  // namespace stele::node_rules
