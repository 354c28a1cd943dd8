#include "blobs.hpp"

#include <sodium.h>

#include <algorithm>
#include <string>
#include <vector>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::storage_postgres {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kNamesAtOnce = 1000;
/// The year 5138: after everything that was written.
constexpr std::int64_t kEndOfTimeMs = 100'000'000'000'000;
/// No upload rests so long between two pieces.
constexpr std::int64_t kUnfinishedMs = std::int64_t{24} * 3600 * 1000;

sdk::Result<Rows> ask(Pool& pool, Statement statement, const Parameters& parameters) {
    return pool.run<Rows>([&](Connection& connection, Deadline deadline) {
        return connection.run(statement, parameters, deadline);
    });
}

sdk::Error unknown(std::string_view name) {
    return sdk::make_error(sdk::ErrorKind::not_found, "blob.unknown", "There are no such bytes.",
                           "blob " + std::string(name));
}

sdk::Error pieces_gone() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "blob.disk_failed",
                           "The server's disk failed.", "pieces of a blob are gone");
}

/// One page of pieces that were given up; the keeper takes the rest.
sdk::Result<void> clear_page(Pool& pool, std::string_view pieces) {
    auto cleared =
        ask(pool, Statement::clear_pieces, Parameters().integer(kPiecePage).bytes(pieces));
    if (!cleared) return cleared.error();
    return {};
}

class PostgresBlobWriter final : public sdk::BlobStore::Writer {
public:
    explicit PostgresBlobWriter(Pool& pool) : pool_(pool), id_(sdk::random_hex(kIdBytes)) {
        crypto_generichash_init(&digest_, nullptr, 0, kDigestBytes);
    }
    ~PostgresBlobWriter() override {
        // What cannot be dropped now goes with what killed servers left.
        if (!is_finished_) (void)drop();
    }
    PostgresBlobWriter(const PostgresBlobWriter&) = delete;
    PostgresBlobWriter& operator=(const PostgresBlobWriter&) = delete;

    sdk::Result<void> begin() {
        auto begun = ask(pool_, Statement::begin_blob, Parameters().bytes(id_));
        if (!begun) return begun.error();
        return {};
    }
    sdk::Result<void> write(std::string_view bytes) override;
    sdk::Result<std::string> finish() override;

private:
    sdk::Result<void> write_piece();
    sdk::Result<void> drop() {
        auto given_up = ask(pool_, Statement::give_up_upload, Parameters().bytes(id_));
        if (!given_up) return given_up.error();
        return clear_page(pool_, id_);
    }
    std::string digest_name();

    Pool& pool_;
    const std::string id_;
    crypto_generichash_state digest_{};
    std::string piece_;
    std::int64_t pieces_ = 0;
    std::int64_t size_ = 0;
    bool is_finished_ = false;
};

sdk::Result<void> PostgresBlobWriter::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::string_view taken = bytes.substr(0, kPieceBytes - piece_.size());
        crypto_generichash_update(&digest_, reinterpret_cast<const unsigned char*>(taken.data()),
                                  taken.size());
        piece_ += taken;
        bytes.remove_prefix(taken.size());
        if (piece_.size() < kPieceBytes) continue;
        if (auto written = write_piece(); !written) return written;
    }
    return {};
}

/// On the disk with its answer, so that a database that restarts loses none of the pieces.
sdk::Result<void> PostgresBlobWriter::write_piece() {
    auto written = ask(pool_, Statement::write_blob_piece,
                       Parameters().bytes(id_).integer(pieces_).bytes(piece_));
    if (!written) return written.error();
    if (written->size() != 1) return pieces_gone();
    size_ += static_cast<std::int64_t>(piece_.size());
    ++pieces_;
    piece_.clear();
    return {};
}

std::string PostgresBlobWriter::digest_name() {
    std::string digest(kDigestBytes, '\0');
    crypto_generichash_final(&digest_, reinterpret_cast<unsigned char*>(digest.data()),
                             kDigestBytes);
    return sdk::hex_text(digest);
}

sdk::Result<std::string> PostgresBlobWriter::finish() {
    if (!piece_.empty()) {
        if (auto written = write_piece(); !written) return written.error();
    }
    std::string name = digest_name();
    auto kept =
        ask(pool_, Statement::finish_blob, Parameters().bytes(name).bytes(id_).integer(size_));
    if (!kept) return kept.error();
    if (kept->size() == 1) {
        // Otherwise equal bytes were there, and these pieces are dropped.
        is_finished_ = kept->number(0, 0) == 1;
        return name;
    }
    // The answer to the first attempt was lost: then the blob is there and dated anew.
    auto dated = ask(pool_, Statement::date_blob, Parameters().bytes(name));
    if (!dated) return dated.error();
    if (dated->size() != 1) return pieces_gone();
    is_finished_ = dated->bytes(0, 0) == id_;
    return name;
}

class PostgresBlobReader final : public sdk::BlobStore::Reader {
public:
    PostgresBlobReader(Pool& pool, std::string pieces, std::uint64_t size)
        : pool_(pool), pieces_(std::move(pieces)), size_(size) {}

    std::uint64_t size() const override { return size_; }
    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override;

private:
    Pool& pool_;
    const std::string pieces_;
    const std::uint64_t size_;
};

sdk::Result<void> PostgresBlobReader::read(std::uint64_t offset, std::size_t limit,
                                           std::string& out) {
    out.clear();
    if (offset >= size_) return {};
    const auto end = offset + std::min<std::uint64_t>(limit, size_ - offset);
    out.reserve(end - offset);
    while (offset < end) {
        const std::uint64_t begin = offset % kPieceBytes;
        const auto wanted = std::min<std::uint64_t>(end - offset, kPieceBytes - begin);
        auto rows = ask(pool_, Statement::read_blob_piece,
                        Parameters()
                            .bytes(pieces_)
                            .integer(static_cast<std::int64_t>(offset / kPieceBytes))
                            .integer(static_cast<std::int64_t>(begin + 1))
                            .integer(static_cast<std::int64_t>(wanted)));
        if (!rows) return rows.error();
        if (rows->size() != 1 || rows->bytes(0, 0).size() != wanted) {
            return sdk::make_error(sdk::ErrorKind::internal, "blob.damaged",
                                   "Stored bytes are missing.",
                                   "a piece of a blob at offset " + std::to_string(offset));
        }
        out += rows->bytes(0, 0);
        offset += wanted;
    }
    return {};
}

class PostgresBlobs final : public sdk::BlobStore {
public:
    explicit PostgresBlobs(Pool& pool) : pool_(pool) {}

    sdk::Result<std::unique_ptr<Writer>> create() override;
    sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) override;
    sdk::Result<bool> exists(std::string_view name) override;
    sdk::Result<void> remove(std::string_view name) override;
    sdk::Result<void> for_each(const std::function<void(std::string_view)>& visit) override;
    sdk::Result<void> for_each_before(std::int64_t epoch_ms,
                                      const std::function<void(std::string_view)>& visit) override;
    sdk::Result<std::optional<std::uint64_t>> remove_before(std::string_view name,
                                                            std::int64_t epoch_ms) override;

private:
    Pool& pool_;
};

sdk::Result<std::unique_ptr<sdk::BlobStore::Writer>> PostgresBlobs::create() {
    auto writer = std::make_unique<PostgresBlobWriter>(pool_);
    if (auto begun = writer->begin(); !begun) return begun.error();
    return std::unique_ptr<Writer>(std::move(writer));
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> PostgresBlobs::open(std::string_view name) {
    auto found = ask(pool_, Statement::find_blob, Parameters().bytes(name));
    if (!found) return found.error();
    if (found->size() != 1) return unknown(name);
    return std::unique_ptr<Reader>(std::make_unique<PostgresBlobReader>(
        pool_, std::string(found->bytes(0, 0)), found->number(0, 1)));
}

sdk::Result<bool> PostgresBlobs::exists(std::string_view name) {
    auto found = ask(pool_, Statement::find_blob, Parameters().bytes(name));
    if (!found) return found.error();
    return found->size() == 1;
}

sdk::Result<void> PostgresBlobs::remove(std::string_view name) {
    auto removed = remove_before(name, kEndOfTimeMs);
    if (!removed) return removed.error();
    return {};
}

sdk::Result<void> PostgresBlobs::for_each(const std::function<void(std::string_view)>& visit) {
    return for_each_before(kEndOfTimeMs, visit);
}

sdk::Result<void> PostgresBlobs::for_each_before(
    std::int64_t epoch_ms, const std::function<void(std::string_view)>& visit) {
    std::string last;
    while (true) {
        auto names = ask(pool_, Statement::list_blobs,
                         Parameters()
                             .bytes(last)
                             .integer(std::min(epoch_ms, kEndOfTimeMs))
                             .integer(kNamesAtOnce));
        if (!names) return names.error();
        for (int row = 0; row < names->size(); ++row)
            visit(names->bytes(row, 0));
        if (static_cast<std::size_t>(names->size()) < kNamesAtOnce) return {};
        last = names->bytes(names->size() - 1, 0);
    }
}

sdk::Result<std::optional<std::uint64_t>> PostgresBlobs::remove_before(std::string_view name,
                                                                       std::int64_t epoch_ms) {
    auto removed = ask(pool_, Statement::remove_blob,
                       Parameters().bytes(name).integer(std::min(epoch_ms, kEndOfTimeMs)));
    if (!removed) return removed.error();
    if (removed->size() != 1) return std::optional<std::uint64_t>();
    // The blob is gone already. What is not cleared away now the keeper finds, and tells why.
    (void)clear_page(pool_, removed->bytes(0, 1));
    return std::optional(removed->number(0, 0));
}

}  // namespace

std::unique_ptr<sdk::BlobStore> open_blobs(Pool& pool) {
    return std::make_unique<PostgresBlobs>(pool);
}

sdk::Result<void> give_up_old_uploads(Pool& pool) {
    auto given_up = ask(pool, Statement::give_up_old_uploads, Parameters().integer(kUnfinishedMs));
    if (!given_up) return given_up.error();
    return {};
}

sdk::Result<bool> clear_unwanted_pieces(Pool& pool) {
    auto cleared = ask(pool, Statement::clear_any_pieces, Parameters().integer(kPiecePage));
    if (!cleared) return cleared.error();
    return cleared->size() > 0;
}

}  // namespace stele::storage_postgres
