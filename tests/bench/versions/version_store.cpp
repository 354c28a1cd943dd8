#include "tests/bench/versions/version_store.hpp"

#include <cstdio>
#include <cstdlib>

namespace stele::bench {

void append_number(std::string& bytes, std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>(number >> shift));
}

std::uint64_t read_number(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

std::string version_key(std::string_view key, std::uint64_t line, std::uint64_t revision) {
    std::string bytes(key);
    append_number(bytes, ~line);
    append_number(bytes, ~revision);
    return bytes;
}

void VersionStore::commit(std::uint32_t line, const std::vector<Change>& changes) {
    leveldb::WriteBatch batch;
    write(batch, {line, ++revision_}, changes);
    written_bytes_ += batch.ApproximateSize();
    const leveldb::Status status = database_.Write({}, &batch);
    if (!status.ok()) {
        std::fprintf(stderr, "%s\n", status.ToString().c_str());
        std::exit(1);
    }
    lines_[line].tip = revision_;
}

std::uint32_t VersionStore::fork(View at) {
    const auto line = static_cast<std::uint32_t>(lines_.size());
    lines_.push_back({at, at.revision, false});
    forked(line, at);
    return line;
}

void VersionStore::forked(std::uint32_t, View) {}

std::vector<VersionStore::Link> VersionStore::chain(View view) const {
    std::vector<Link> links{{view.line, view.revision}};
    while (!lines_[links.back().line].is_root) {
        const View parent = lines_[links.back().line].parent;
        links.push_back({parent.line, parent.revision});
    }
    return links;
}

std::unique_ptr<leveldb::Iterator> VersionStore::iterator() const {
    return std::unique_ptr<leveldb::Iterator>(database_.NewIterator({}));
}

}  // namespace stele::bench
