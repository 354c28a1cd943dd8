#include <stele/sdk/zip.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <zlib.h>

#include <stele/sdk/text.hpp>

#include "zip/deflater.hpp"
#include "zip/unnamed_file.hpp"
#include "zip/zip_format.hpp"
#include "zip/zip_records.hpp"

namespace stele::sdk {

namespace {

void count_bytes(ZipEntry& entry, std::string_view bytes) {
    entry.size += bytes.size();
    entry.checksum = static_cast<std::uint32_t>(
        crc32_z(entry.checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ZipWriter::State {
    State(Sink taker, zip::UnnamedFile file) : sink(std::move(taker)), directory(std::move(file)) {}

    void check(std::string_view path) const;
    Result<void> put(std::string_view bytes);
    Result<void> begin(const ZipEntry& entry, bool has_descriptor);
    Result<void> list(const ZipEntry& entry, bool has_descriptor);
    Result<void> put_stored(ZipEntry& entry, const PieceSource& read);
    Result<void> put_deflated(ZipEntry& entry, const PieceSource& read);
    Result<void> deflate(ZipEntry& entry, std::string_view bytes, bool is_last);

    Sink sink;
    zip::UnnamedFile directory;
    zip::Deflater deflater;
    std::uint64_t size = 0;
    std::uint64_t count = 0;
    bool is_finished = false;
    std::string record;
    std::string packed;
};

void ZipWriter::State::check(std::string_view path) const {
    if (is_finished) throw std::logic_error("a finished archive gets no more files");
    if (!is_utf8(path) || !zip::is_safe_path(path))
        throw std::logic_error("no reader takes the path of an entry");
}

Result<void> ZipWriter::State::put(std::string_view bytes) {
    if (bytes.empty()) return {};
    size += bytes.size();
    return sink(bytes);
}

Result<void> ZipWriter::State::begin(const ZipEntry& entry, bool has_descriptor) {
    record.clear();
    zip::append_local_head(record, entry, has_descriptor);
    return put(record);
}

Result<void> ZipWriter::State::list(const ZipEntry& entry, bool has_descriptor) {
    ++count;
    record.clear();
    zip::append_directory_head(record, entry, has_descriptor);
    return directory.append(record);
}

Result<void> ZipWriter::State::put_stored(ZipEntry& entry, const PieceSource& read) {
    std::string piece;
    while (true) {
        if (auto more = read(piece); !more) return more;
        if (piece.empty()) break;
        count_bytes(entry, piece);
        if (auto stored = put(piece); !stored) return stored;
    }
    entry.packed_size = entry.size;
    return {};
}

Result<void> ZipWriter::State::put_deflated(ZipEntry& entry, const PieceSource& read) {
    deflater.begin();
    std::string piece;
    // What zlib makes of bytes may depend on how they come, so they always come the same way.
    std::string waiting;
    while (true) {
        if (auto more = read(piece); !more) return more;
        if (piece.empty()) return deflate(entry, waiting, true);
        count_bytes(entry, piece);
        for (std::string_view left = piece; !left.empty();) {
            const std::string_view taken = left.substr(0, zip::kPiece - waiting.size());
            waiting += taken;
            left.remove_prefix(taken.size());
            if (waiting.size() < zip::kPiece) continue;
            if (auto added = deflate(entry, waiting, false); !added) return added;
            waiting.clear();
        }
    }
}

Result<void> ZipWriter::State::deflate(ZipEntry& entry, std::string_view bytes, bool is_last) {
    deflater.add(bytes, is_last, packed);
    entry.packed_size += packed.size();
    return put(packed);
}

ZipWriter::ZipWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipWriter::~ZipWriter() = default;
ZipWriter::ZipWriter(ZipWriter&&) noexcept = default;
ZipWriter& ZipWriter::operator=(ZipWriter&&) noexcept = default;

Result<ZipWriter> ZipWriter::open(Sink sink, const std::filesystem::path& folder) {
    auto file = zip::UnnamedFile::open(folder);
    if (!file) return file.error();
    auto state = std::make_unique<State>(std::move(sink), std::move(*file));
    if (!state->deflater.is_ready()) return zip::memory_missing();
    return ZipWriter(std::move(state));
}

Result<void> ZipWriter::add(std::string_view path, std::string_view bytes) {
    state_->check(path);
    ZipEntry entry{.path = std::string(path), .offset = state_->size};
    if (entry.is_folder() && !bytes.empty()) throw std::logic_error("a folder has no bytes");
    count_bytes(entry, bytes);
    if (state_->deflater.shorten(bytes, state_->packed)) {
        entry.method = zip::kDeflated;
        bytes = state_->packed;
    }
    entry.packed_size = bytes.size();
    if (auto begun = state_->begin(entry, false); !begun) return begun;
    if (auto put = state_->put(bytes); !put) return put;
    return state_->list(entry, false);
}

Result<void> ZipWriter::add(std::string_view path, const PieceSource& read, bool is_packed) {
    state_->check(path);
    ZipEntry entry{.path = std::string(path),
                   .method = is_packed ? zip::kDeflated : zip::kStored,
                   .offset = state_->size};
    if (entry.is_folder()) throw std::logic_error("a folder has no bytes");
    if (auto begun = state_->begin(entry, true); !begun) return begun;
    auto put = is_packed ? state_->put_deflated(entry, read) : state_->put_stored(entry, read);
    if (!put) return put;
    state_->record.clear();
    zip::append_descriptor(state_->record, entry);
    if (auto described = state_->put(state_->record); !described) return described;
    return state_->list(entry, true);
}

Result<void> ZipWriter::finish() {
    if (std::exchange(state_->is_finished, true))
        throw std::logic_error("an archive is finished once");
    const zip::DirectoryPlace place{
        .begin = state_->size, .size = state_->directory.size(), .count = state_->count};
    std::string piece;
    for (std::uint64_t at = 0; at < place.size; at += piece.size()) {
        if (auto read = state_->directory.read(at, piece); !read) return read;
        if (auto put = state_->put(piece); !put) return put;
    }
    std::string end;
    zip::append_end(end, place);
    return state_->put(end);
}

std::uint64_t ZipWriter::size() const {
    return state_->size;
}

}  // namespace stele::sdk
