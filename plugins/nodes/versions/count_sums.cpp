#include "count_sums.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

std::string ChangeRecord::encode() const {
    std::string bytes;
    append_number(bytes, counts.size());
    for (const auto& [key, delta] : counts) {
        append_number(bytes, key.size());
        bytes += key;
        append_number(bytes, static_cast<std::uint64_t>(delta));
    }
    return bytes + note;
}

sdk::Result<ChangeRecord> ChangeRecord::decode(std::string_view bytes) {
    const auto broken = [] {
        return sdk::make_error(sdk::ErrorKind::internal, "branch.changes_broken",
                               "what is kept about a changeset cannot be read");
    };
    ChangeRecord record;
    if (bytes.size() < kNumberBytes) return broken();
    std::uint64_t left = read_number(bytes);
    bytes.remove_prefix(kNumberBytes);
    for (; left > 0; --left) {
        if (bytes.size() < kNumberBytes) return broken();
        const std::uint64_t size = read_number(bytes);
        bytes.remove_prefix(kNumberBytes);
        if (bytes.size() < kNumberBytes || size > bytes.size() - kNumberBytes) return broken();
        const std::string_view key = bytes.substr(0, size);
        bytes.remove_prefix(size);
        record.counts.emplace(key, static_cast<std::int64_t>(read_number(bytes)));
        bytes.remove_prefix(kNumberBytes);
    }
    record.note = bytes;
    return record;
}

sdk::Result<std::int64_t> sum_of(const sdk::Reader& reader, const VersionSpace& space,
                                 const View& view, std::string_view key) {
    std::int64_t sum = 0;
    for (const Link& link : view.links) {
        const std::string prefix = space.changes(link.line);
        const auto cursor =
            reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (read_number(cursor->key().substr(prefix.size())) > link.bound) break;
            auto record = ChangeRecord::decode(cursor->value());
            if (!record) return record.error();
            const auto delta = record->counts.find(key);
            if (delta != record->counts.end()) sum += delta->second;
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    return sum;
}

}  // namespace stele::nodes
