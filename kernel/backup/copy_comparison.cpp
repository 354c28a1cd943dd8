#include "kernel/backup/copy_comparison.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <sodium.h>

#include <stele/sdk/encoding.hpp>

#include "kernel/backup/portions.hpp"

namespace stele::kernel::backup {

namespace {

constexpr std::uint64_t kRangeEntries = 10'000;

/// What a range of keys holds, in a few bytes.
class RangeDigest {
public:
    RangeDigest() { crypto_generichash_init(&state_, nullptr, 0, crypto_generichash_BYTES); }

    void add(std::string_view key, std::string_view value) {
        ++entries_;
        add_sized(key);
        add_sized(value);
    }
    std::uint64_t entries() const { return entries_; }

    using Bytes = std::array<unsigned char, crypto_generichash_BYTES>;
    Bytes finish() {
        Bytes bytes{};
        crypto_generichash_final(&state_, bytes.data(), bytes.size());
        return bytes;
    }

private:
    /// With its length, so that no two lists of entries look alike.
    void add_sized(std::string_view text) {
        std::array<unsigned char, 8> size{};
        for (std::size_t i = 0; i < size.size(); ++i)
            size[i] = static_cast<unsigned char>(std::uint64_t{text.size()} >> (8 * i));
        crypto_generichash_update(&state_, size.data(), size.size());
        crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(text.data()),
                                  text.size());
    }

    crypto_generichash_state state_{};
    std::uint64_t entries_ = 0;
};

std::string shown(std::string_view key) {
    return key.empty() ? "the end" : sdk::hex_text(key.substr(0, 40));
}

sdk::Error differs(std::string_view what) {
    return sdk::make_error(sdk::ErrorKind::internal, "copy.differs",
                           fmt::format("the target is not what the source is: {}; it cannot be "
                                       "used: begin again with an empty one",
                                       what));
}

sdk::Result<void> compare_entries(const sdk::Reader& source, const sdk::Reader& target,
                                  std::string_view ignored, CopySummary& summary) {
    const auto from = source.scan({}, sdk::ScanDirection::forward);
    const auto to = target.scan({}, sdk::ScanDirection::forward);
    summary.entries = 0;
    bool has_more = true;
    while (has_more) {
        const std::string begin(from->is_valid() ? from->key() : std::string_view());
        RangeDigest wanted;
        for (; from->is_valid() && wanted.entries() < kRangeEntries; from->next())
            wanted.add(from->key(), from->value());
        if (auto status = from->status(); !status) return status;
        has_more = from->is_valid();
        const std::string end(has_more ? from->key() : std::string_view());
        RangeDigest found;
        for (; to->is_valid() && (!has_more || to->key() < end); to->next()) {
            if (to->key() != ignored) found.add(to->key(), to->value());
        }
        if (auto status = to->status(); !status) return status;
        const bool is_equal =
            wanted.entries() == found.entries() && wanted.finish() == found.finish();
        if (!is_equal) {
            return differs(fmt::format("{} entries for {} between the keys {} and {}",
                                       found.entries(), wanted.entries(), shown(begin),
                                       shown(end)));
        }
        summary.entries += wanted.entries();
        ++summary.ranges;
    }
    return {};
}

sdk::Result<void> compare_blob(sdk::BlobStore& source, sdk::BlobStore& target,
                               const std::string& name) {
    auto from = source.open(name);
    if (!from) return from.error();
    auto to = target.open(name);
    if (!to && sdk::is_missing(to.error())) return differs("blob " + name);
    if (!to) return to.error();
    std::string wanted;
    std::string found;
    bool is_equal = (*from)->size() == (*to)->size();
    for (std::uint64_t at = 0; is_equal && at < (*from)->size(); at += wanted.size()) {
        if (auto read = (*from)->read(at, kPieceSize, wanted); !read) return read;
        if (auto read = (*to)->read(at, wanted.size(), found); !read) return read;
        is_equal = !wanted.empty() && wanted == found;
    }
    return is_equal ? sdk::Result<void>() : differs("blob " + name);
}

}  // namespace

sdk::Result<void> compare_stores(const CopySide& source, const CopySide& target,
                                 std::string_view ignored, CopySummary& summary) {
    const auto from = source.engine.snapshot();
    const auto to = target.engine.snapshot();
    auto compared = compare_entries(*from, *to, ignored, summary);
    if (!compared) return compared;
    summary.blobs = 0;
    sdk::Result<void> outcome;
    auto listed = source.blobs.for_each([&](std::string_view name) {
        if (!outcome) return;
        outcome = compare_blob(source.blobs, target.blobs, std::string(name));
        ++summary.blobs;
    });
    return outcome ? listed : outcome;
}

}  // namespace stele::kernel::backup
