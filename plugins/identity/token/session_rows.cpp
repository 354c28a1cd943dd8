#include "session_rows.hpp"

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::identity {

namespace {

/// First byte of every row; another layout gets another one.
constexpr char kFormat = '1';
/// Rows that tell epochs of sessions. Older ones are of the first epoch.
constexpr char kFormatWithEpoch = '2';

std::uint64_t stored_time(std::int64_t ms) {
    return ms < 0 ? 0 : static_cast<std::uint64_t>(ms);
}

/// Reads the elements of a row one after another and remembers whether one was missing.
class RowReader {
public:
    explicit RowReader(std::string_view bytes, bool may_have_epoch = false) : reader_(bytes) {
        const auto format = reader_.tag();
        has_epoch_ = may_have_epoch && format == kFormatWithEpoch;
        is_whole_ = has_epoch_ || format == kFormat;
    }

    bool has_epoch() const { return has_epoch_; }
    SessionBasis basis() {
        SessionBasis basis;
        if (!has_epoch_) return basis;
        basis.epoch = integer();
        const std::uint64_t count = integer();
        is_whole_ = is_whole_ && count <= kMaxActors;
        for (std::uint64_t i = 0; is_whole_ && i < count; ++i) {
            sdk::RecordKey principal = text();
            basis.actors.push_back({std::move(principal), integer()});
        }
        return basis;
    }

    std::uint64_t integer() {
        const auto value = is_whole_ ? reader_.integer() : std::nullopt;
        is_whole_ = value.has_value();
        return value.value_or(0);
    }
    std::int64_t time() { return static_cast<std::int64_t>(integer()); }
    std::string text() {
        auto value = is_whole_ ? reader_.text() : std::nullopt;
        is_whole_ = value.has_value();
        return std::move(value).value_or(std::string());
    }
    bool is_complete() const { return is_whole_ && reader_.at_end(); }

private:
    sdk::KeyReader reader_;
    bool has_epoch_ = false;
    bool is_whole_ = false;
};

template <class Row>
std::optional<Row> complete(const RowReader& reader, Row row) {
    if (!reader.is_complete()) return std::nullopt;
    return row;
}

/// The elements that rows of tokens and codes begin with.
template <class Row>
sdk::KeyWriter token_writer(const Row& row) {
    sdk::KeyWriter writer;
    writer.tag(kFormatWithEpoch).integer(row.platform).text(row.principal).text(row.client);
    writer.integer(stored_time(row.expires_at_ms));
    return writer;
}

/// Ends the row of a token or code.
std::string with_basis(sdk::KeyWriter&& writer, const SessionBasis& basis) {
    writer.integer(basis.epoch).integer(basis.actors.size());
    for (const Actor& actor : basis.actors)
        writer.text(actor.principal).integer(actor.epoch);
    return std::move(writer).key();
}

template <class Row>
Row read_token(RowReader& reader) {
    Row row;
    row.platform = reader.integer();
    row.principal = reader.text();
    row.client = reader.text();
    row.expires_at_ms = reader.time();
    return row;
}

}  // namespace

std::string AccessRow::encode() const {
    return with_basis(token_writer(*this).text(refresh_digest).text(masked_refresh), basis);
}

std::optional<AccessRow> AccessRow::decode(std::string_view bytes) {
    RowReader reader(bytes, true);
    auto row = read_token<AccessRow>(reader);
    row.refresh_digest = reader.text();
    row.masked_refresh = reader.text();
    row.basis = reader.basis();
    return complete(reader, std::move(row));
}

std::string RefreshRow::encode() const {
    return with_basis(token_writer(*this).text(scope), basis);
}

std::optional<RefreshRow> RefreshRow::decode(std::string_view bytes) {
    RowReader reader(bytes, true);
    auto row = read_token<RefreshRow>(reader);
    row.scope = reader.text();
    row.basis = reader.basis();
    return complete(reader, std::move(row));
}

std::string CodeRow::encode() const {
    return with_basis(token_writer(*this)
                          .text(redirect_uri)
                          .integer(is_uri_named ? 1 : 0)
                          .text(scope)
                          .text(challenge)
                          .integer(is_challenge_hashed ? 1 : 0)
                          .text(refresh_digest),
                      basis);
}

std::optional<CodeRow> CodeRow::decode(std::string_view bytes) {
    RowReader reader(bytes, true);
    auto row = read_token<CodeRow>(reader);
    row.redirect_uri = reader.text();
    row.is_uri_named = reader.integer() == 1;
    row.scope = reader.text();
    row.challenge = reader.text();
    row.is_challenge_hashed = reader.integer() == 1;
    row.refresh_digest = reader.text();
    row.basis = reader.basis();
    return complete(reader, std::move(row));
}

std::string PrincipalRow::encode() const {
    return sdk::KeyWriter()
        .tag(kFormatWithEpoch)
        .text(principal.key)
        .integer(principal.kind == sdk::PrincipalKind::group ? 1 : 0)
        .text(principal.id)
        .text(principal.name)
        .text(principal.domain_id)
        .text(principal.email)
        .text(principal.first_name)
        .text(principal.last_name)
        .integer(principal.enabled ? 1 : 0)
        .text(identity)
        .integer(epoch)
        .key();
}

std::optional<PrincipalRow> PrincipalRow::decode(std::string_view bytes) {
    RowReader reader(bytes, true);
    PrincipalRow row;
    row.principal.key = reader.text();
    row.principal.kind =
        reader.integer() == 1 ? sdk::PrincipalKind::group : sdk::PrincipalKind::user;
    row.principal.id = reader.text();
    row.principal.name = reader.text();
    row.principal.domain_id = reader.text();
    row.principal.email = reader.text();
    row.principal.first_name = reader.text();
    row.principal.last_name = reader.text();
    row.principal.enabled = reader.integer() == 1;
    row.identity = reader.text();
    if (reader.has_epoch()) row.epoch = reader.integer();
    return complete(reader, std::move(row));
}

std::string ClientRow::encode() const {
    return sdk::KeyWriter().tag(kFormat).text(key).integer(enabled ? 1 : 0).key();
}

std::optional<ClientRow> ClientRow::decode(std::string_view bytes) {
    RowReader reader(bytes);
    ClientRow row;
    row.key = reader.text();
    row.enabled = reader.integer() == 1;
    return complete(reader, std::move(row));
}

std::string ClientPlace::encode() const {
    return sdk::KeyWriter().tag(kFormat).integer(platform).text(client).key();
}

std::optional<ClientPlace> ClientPlace::decode(std::string_view bytes) {
    RowReader reader(bytes);
    ClientPlace row;
    row.platform = reader.integer();
    row.client = reader.text();
    return complete(reader, std::move(row));
}

std::string mask_with_token(std::string_view text, std::string_view token) {
    constexpr std::size_t kPadSize = 32;
    std::string masked(text);
    std::string pad;
    for (std::size_t i = 0; i < masked.size(); ++i) {
        if (i % kPadSize == 0) {
            const std::string block = std::to_string(i / kPadSize);
            // The words before the token keep the pad apart from the digest that the store holds.
            pad = sdk::token_digest("refresh token under " + block + " " + std::string(token));
        }
        masked[i] = static_cast<char>(masked[i] ^ pad[i % kPadSize]);
    }
    return masked;
}

}  // namespace stele::identity
