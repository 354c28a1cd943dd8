#include "kernel/storage/backends/leveldb/log_scan.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "kernel/storage/backends/leveldb/crc32c.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kLogBlock = 32 * 1024;
constexpr std::size_t kLogHeader = 7;

enum class FragmentKind : unsigned char { none = 0, full = 1, first = 2, middle = 3, last = 4 };

struct LogFragment {
    FragmentKind kind = FragmentKind::none;
    std::string_view content;
};

/// The fragment at `offset`; nothing unless its checksum fits. None crosses the end of a block.
std::optional<LogFragment> fragment_at(std::string_view bytes, std::size_t offset) {
    const std::size_t block_end = std::min(bytes.size(), (offset / kLogBlock + 1) * kLogBlock);
    if (offset + kLogHeader > block_end) return std::nullopt;
    const char* const header = bytes.data() + offset;
    const auto kind = static_cast<unsigned char>(header[6]);
    if (kind < 1 || kind > 4) return std::nullopt;
    const std::size_t size = static_cast<unsigned char>(header[4]) |
                             static_cast<std::size_t>(static_cast<unsigned char>(header[5])) << 8;
    if (offset + kLogHeader + size > block_end) return std::nullopt;
    if (masked_crc32c({header + 6, size + 1}) != read_fixed32(header)) return std::nullopt;
    return LogFragment{static_cast<FragmentKind>(kind), {header + kLogHeader, size}};
}

bool begins_record(const std::optional<LogFragment>& fragment) {
    return fragment &&
           (fragment->kind == FragmentKind::full || fragment->kind == FragmentKind::first);
}

/// Whether a record begins anywhere behind: each is on disk before the next one is written, so
/// what lies in front of one that is whole was whole, too.
bool has_record_behind(std::string_view bytes, std::size_t offset) {
    // In the same block at any place, as the length of the bad fragment means nothing.
    const std::size_t block_end = (offset / kLogBlock + 1) * kLogBlock;
    for (++offset; offset < std::min(block_end, bytes.size()); ++offset)
        if (begins_record(fragment_at(bytes, offset))) return true;
    for (offset = block_end; offset < bytes.size();) {
        const auto fragment = fragment_at(bytes, offset);
        if (begins_record(fragment)) return true;
        offset = fragment ? offset + kLogHeader + fragment->content.size()
                          : (offset / kLogBlock + 1) * kLogBlock;
    }
    return false;
}

/// Puts fragments together.
class RecordBuilder {
public:
    /// False where a fragment does not continue what came before.
    bool add(const LogFragment& fragment) {
        const bool begins =
            fragment.kind == FragmentKind::full || fragment.kind == FragmentKind::first;
        if (begins == is_open_) return false;
        if (begins) record_.clear();
        record_ += fragment.content;
        is_open_ = fragment.kind == FragmentKind::first || fragment.kind == FragmentKind::middle;
        return true;
    }
    bool is_open() const { return is_open_; }
    std::string_view record() const { return record_; }

private:
    std::string record_;
    bool is_open_ = false;
};

}  // namespace

LogScan scan_log(std::string_view bytes, const std::function<void(std::string_view)>& visit) {
    LogScan scan;
    RecordBuilder builder;
    std::size_t offset = 0;
    while (offset < bytes.size()) {
        const std::size_t in_block = kLogBlock - offset % kLogBlock;
        if (in_block < kLogHeader) {
            // The writer leaves so few bytes alone.
            offset += std::min(in_block, bytes.size() - offset);
            continue;
        }
        const auto fragment = fragment_at(bytes, offset);
        if (!fragment || !builder.add(*fragment)) {
            scan.offset = offset;
            scan.state = fragment || has_record_behind(bytes, offset) ? LogScan::State::damaged
                                                                      : LogScan::State::torn;
            return scan;
        }
        offset += kLogHeader + fragment->content.size();
        if (builder.is_open()) continue;
        scan.kept_bytes = offset;
        if (visit) visit(builder.record());
    }
    if (builder.is_open()) {
        scan.state = LogScan::State::torn;
        scan.offset = scan.kept_bytes;
    }
    return scan;
}

}  // namespace stele::kernel::storage
