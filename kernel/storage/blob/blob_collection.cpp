#include "kernel/storage/blob/blob_collection.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/encoding.hpp>

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kNameSize = 64;
constexpr std::size_t kRowsBetweenRests = 1000;

/// The bytes that a name stands for: half as much memory.
using Digest = std::array<unsigned char, kNameSize / 2>;

/// Upper case, too, which no name has: `digest_of` sees to that.
bool may_be_of_name(char c) {
    return sdk::hex_value(c) >= 0;
}

std::optional<Digest> digest_of(std::string_view name) {
    const auto bytes = sdk::hex_bytes(name);
    Digest digest{};
    if (!bytes || bytes->size() != digest.size()) return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), digest.begin());
    return digest;
}

std::string name_of(const Digest& digest) {
    return sdk::hex_text({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// Some of the blobs, sorted, and which of them are used.
class Candidates {
public:
    /// The first old blobs behind `after`, by their names, at most `most`.
    static sdk::Result<Candidates> list(sdk::BlobStore& blobs, const CollectionOptions& options,
                                        const std::optional<Digest>& after) {
        Candidates found;
        std::vector<Digest>& digests = found.digests_;
        const std::size_t most = options.blobs_at_once;
        const auto cut = [&] {
            if (digests.size() <= most) return;
            std::nth_element(digests.begin(), digests.begin() + static_cast<std::ptrdiff_t>(most),
                             digests.end());
            digests.resize(most);
        };
        auto listed = blobs.for_each_before(options.before_ms, [&](std::string_view name) {
            const auto digest = digest_of(name);
            if (!digest || (after && *digest <= *after)) return;
            digests.push_back(*digest);
            if (digests.size() >= 2 * most) cut();
        });
        if (!listed) return listed.error();
        cut();
        std::sort(digests.begin(), digests.end());
        found.is_used_.assign(digests.size(), false);
        return found;
    }

    bool is_empty() const { return digests_.empty(); }
    const Digest& last() const { return digests_.back(); }

    /// Marks those whose names stand anywhere in the bytes. A name is longer than every gap between
    /// the places that are looked at, so none is missed.
    void find_in(std::string_view bytes) {
        for (std::size_t place = kNameSize - 1; place < bytes.size(); place += kNameSize) {
            if (!may_be_of_name(bytes[place])) continue;
            std::size_t begin = place;
            while (begin > 0 && may_be_of_name(bytes[begin - 1]))
                --begin;
            std::size_t end = place + 1;
            while (end < bytes.size() && may_be_of_name(bytes[end]))
                ++end;
            // Digits that stand in front of a name by chance hide it from nobody.
            for (std::size_t at = begin; at + kNameSize <= end; ++at)
                mark(bytes.substr(at, kNameSize));
            place = std::max(place, end - 1);
        }
    }

    template <class Visit>
    sdk::Result<void> for_each_unused(const Visit& visit) const {
        for (std::size_t i = 0; i < digests_.size(); ++i) {
            if (is_used_[i]) continue;
            auto goes_on = visit(name_of(digests_[i]));
            if (!goes_on) return goes_on.error();
            if (!*goes_on) return {};
        }
        return {};
    }

private:
    void mark(std::string_view name) {
        const auto digest = digest_of(name);
        const auto found = std::lower_bound(digests_.begin(), digests_.end(), *digest);
        if (found != digests_.end() && *found == *digest)
            is_used_[static_cast<std::size_t>(found - digests_.begin())] = true;
    }

    std::vector<Digest> digests_;
    std::vector<bool> is_used_;
};

/// False when there was no time.
sdk::Result<bool> find_used(const sdk::Reader& store, const CollectionOptions& options,
                            Candidates& candidates) {
    std::size_t rows = 0;
    const auto cursor = store.scan({}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        candidates.find_in(cursor->key());
        candidates.find_in(cursor->value());
        if (++rows % kRowsBetweenRests == 0 && options.must_stop()) return false;
    }
    if (auto status = cursor->status(); !status) return status.error();
    return true;
}

sdk::Result<void> count_unused(sdk::BlobStore& blobs, const Candidates& candidates,
                               UnusedBlobs& unused) {
    return candidates.for_each_unused([&](const std::string& name) -> sdk::Result<bool> {
        auto reader = blobs.open(name);
        if (!reader && reader.error().kind == sdk::ErrorKind::not_found) return true;
        if (!reader) return reader.error();
        ++unused.blobs;
        unused.bytes += (*reader)->size();
        return true;
    });
}

sdk::Result<void> remove_unused(sdk::BlobStore& blobs, const CollectionOptions& options,
                                const Candidates& candidates, UnusedBlobs& unused) {
    return candidates.for_each_unused([&](const std::string& name) -> sdk::Result<bool> {
        if (!options.is_due(name)) return true;
        const std::unique_lock lock(*options.keeping, std::try_to_lock);
        unused.is_cut_short = !lock.owns_lock() || options.must_stop();
        if (unused.is_cut_short) return false;
        auto removed = blobs.remove_before(name, options.before_ms);
        if (!removed) return removed.error();
        if (*removed) {
            ++unused.blobs;
            unused.bytes += **removed;
        }
        return true;
    });
}

}  // namespace

sdk::Result<UnusedBlobs> collect_blobs(sdk::Engine& engine, sdk::BlobStore& blobs,
                                       const CollectionOptions& options) {
    UnusedBlobs unused;
    std::optional<Digest> done;
    while (true) {
        auto candidates = Candidates::list(blobs, options, done);
        if (!candidates) return candidates.error();
        if (candidates->is_empty()) return unused;
        // Begun after `before_ms`, so that it shows every reference that was committed in time.
        const auto store = engine.snapshot();
        auto is_complete = find_used(*store, options, *candidates);
        if (!is_complete) return is_complete.error();
        unused.is_cut_short = !*is_complete;
        if (unused.is_cut_short) return unused;
        auto settled = options.keeping ? remove_unused(blobs, options, *candidates, unused)
                                       : count_unused(blobs, *candidates, unused);
        if (!settled) return settled.error();
        if (unused.is_cut_short) return unused;
        done = candidates->last();
    }
}

}  // namespace stele::kernel::storage
