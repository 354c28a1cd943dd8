#include "kernel/storage/backends/leveldb/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace stele::kernel::storage {

namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78;
constexpr std::size_t kSlices = 8;

using CrcTables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr CrcTables make_crc_tables() {
    CrcTables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? kCastagnoli : 0);
        tables[0][i] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t i = 0; i < 256; ++i) {
            const std::uint32_t crc = tables[slice - 1][i];
            tables[slice][i] = (crc >> 8) ^ tables[0][crc & 0xff];
        }
    }
    return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

}  // namespace

std::uint32_t read_fixed32(const char* bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t number = 0;
    std::memcpy(&number, bytes, sizeof(number));
    return number;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
    const CrcTables& table = kCrcTables;
    std::uint32_t crc = 0xffffffff;
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= kSlices; at += kSlices, left -= kSlices) {
        const std::uint32_t low = read_fixed32(at) ^ crc;
        const std::uint32_t high = read_fixed32(at + 4);
        crc = table[7][low & 0xff] ^ table[6][(low >> 8) & 0xff] ^ table[5][(low >> 16) & 0xff] ^
              table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][(high >> 8) & 0xff] ^
              table[1][(high >> 16) & 0xff] ^ table[0][high >> 24];
    }
    for (; left > 0; ++at, --left)
        crc = (crc >> 8) ^ table[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
    crc ^= 0xffffffff;
    constexpr std::uint32_t kDisguise = 0xa282ead8;
    return ((crc >> 15) | (crc << 17)) + kDisguise;
}

}  // namespace stele::kernel::storage
