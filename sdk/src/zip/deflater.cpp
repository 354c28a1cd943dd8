#include "zip/deflater.hpp"

#include <algorithm>
#include <cstddef>

#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

constexpr int kMemoryLevel = 8;
/// zlib counts in 32 bits.
constexpr std::size_t kMost = std::size_t{1} << 30U;

}  // namespace

Deflater::Deflater() {
    is_ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel,
                             Z_DEFAULT_STRATEGY) == Z_OK;
}

Deflater::~Deflater() {
    if (is_ready_) deflateEnd(&stream_);
}

bool Deflater::shorten(std::string_view bytes, std::string& packed) {
    if (bytes.size() < 2) return false;
    begin();
    packed.resize(bytes.size() - 1);
    std::size_t used = 0;
    int outcome = Z_OK;
    stream_.avail_in = 0;
    while (outcome != Z_STREAM_END) {
        if (stream_.avail_in == 0) {
            const std::string_view next = bytes.substr(0, kMost);
            take(next);
            bytes.remove_prefix(next.size());
        }
        const std::size_t room = std::min(packed.size() - used, kMost);
        if (room == 0) return false;
        stream_.next_out = reinterpret_cast<Bytef*>(packed.data() + used);
        stream_.avail_out = static_cast<uInt>(room);
        outcome = deflate(&stream_, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        used += room - stream_.avail_out;
    }
    packed.resize(used);
    return true;
}

void Deflater::begin() {
    deflateReset(&stream_);
}

void Deflater::add(std::string_view bytes, bool is_last, std::string& packed) {
    take(bytes);
    packed.clear();
    do {
        const std::size_t used = packed.size();
        packed.resize(used + kPiece);
        stream_.next_out = reinterpret_cast<Bytef*>(packed.data() + used);
        stream_.avail_out = static_cast<uInt>(kPiece);
        deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
        packed.erase(used + kPiece - stream_.avail_out);
    } while (stream_.avail_out == 0);
}

void Deflater::take(std::string_view bytes) {
    // zlib does not write to its input; the member lacks `const` for history's sake.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
}

}  // namespace stele::sdk::zip
