#pragma once

#include <cstdint>
#include <string_view>

namespace stele::kernel::storage {

/// Takes numbers and texts off bytes in LevelDB's form. What goes beyond the end reads as empty and
/// makes it unsound.
class BlockReader {
public:
    explicit BlockReader(std::string_view bytes) : bytes_(bytes) {}

    bool is_at_end() const { return bytes_.empty(); }
    bool is_sound() const { return is_sound_; }
    std::string_view rest() const { return bytes_; }

    /// Seven bits a byte, the lowest first.
    std::uint64_t number() {
        constexpr int kMaxBits = 63;
        std::uint64_t value = 0;
        for (int shift = 0; shift <= kMaxBits && !bytes_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        return fail();
    }
    std::string_view text(std::uint64_t size) {
        if (size > bytes_.size()) {
            fail();
            return {};
        }
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

private:
    std::uint64_t fail() {
        is_sound_ = false;
        bytes_ = {};
        return 0;
    }

    std::string_view bytes_;
    bool is_sound_ = true;
};

}  // namespace stele::kernel::storage
