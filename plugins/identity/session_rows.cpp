#include "session_rows.hpp"

#include <stele/sdk/context.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::identity {

namespace {

/// First byte of every row; another layout gets another one.
constexpr char kFormat = '1';

std::uint64_t stored_time(std::int64_t ms) {
    return ms < 0 ? 0 : static_cast<std::uint64_t>(ms);
}

/// Reads the elements of a row one after another and remembers whether one was missing.
class RowReader {
public:
    explicit RowReader(std::string_view bytes) : reader_(bytes) {
        is_whole_ = reader_.tag() == kFormat;
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
    writer.tag(kFormat).integer(row.platform).text(row.principal).text(row.client);
    writer.integer(stored_time(row.expires_at_ms));
    return writer;
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
    return token_writer(*this).text(refresh_digest).text(masked_refresh).key();
}

std::optional<AccessRow> AccessRow::decode(std::string_view bytes) {
    RowReader reader(bytes);
    auto row = read_token<AccessRow>(reader);
    row.refresh_digest = reader.text();
    row.masked_refresh = reader.text();
    return complete(reader, std::move(row));
}

std::string RefreshRow::encode() const {
    return token_writer(*this).text(scope).key();
}

std::optional<RefreshRow> RefreshRow::decode(std::string_view bytes) {
    RowReader reader(bytes);
    auto row = read_token<RefreshRow>(reader);
    row.scope = reader.text();
    return complete(reader, std::move(row));
}

std::string CodeRow::encode() const {
    return token_writer(*this)
        .text(redirect_uri)
        .integer(is_uri_named ? 1 : 0)
        .text(scope)
        .text(challenge)
        .integer(is_challenge_hashed ? 1 : 0)
        .text(refresh_digest)
        .key();
}

std::optional<CodeRow> CodeRow::decode(std::string_view bytes) {
    RowReader reader(bytes);
    auto row = read_token<CodeRow>(reader);
    row.redirect_uri = reader.text();
    row.is_uri_named = reader.integer() == 1;
    row.scope = reader.text();
    row.challenge = reader.text();
    row.is_challenge_hashed = reader.integer() == 1;
    row.refresh_digest = reader.text();
    return complete(reader, std::move(row));
}

std::string PrincipalRow::encode() const {
    return sdk::KeyWriter()
        .tag(kFormat)
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
        .key();
}

std::optional<PrincipalRow> PrincipalRow::decode(std::string_view bytes) {
    RowReader reader(bytes);
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

SessionKeys SessionKeys::of(sdk::Context& context) {
    return SessionKeys(context.shared_key_space(kSessionSpace));
}

std::string SessionKeys::key(RowTag tag, std::string_view rest) const {
    return sdk::KeyWriter(prefix_).tag(static_cast<char>(tag)).raw(rest).key();
}

std::string SessionKeys::access(std::string_view digest) const {
    return key(RowTag::access, digest);
}

std::string SessionKeys::refresh(std::string_view digest) const {
    return key(RowTag::refresh, digest);
}

std::string SessionKeys::access_of_refresh(std::string_view refresh_digest,
                                           std::string_view access_digest) const {
    return key(RowTag::access_of_refresh, refresh_digest) + std::string(access_digest);
}

std::string SessionKeys::code(std::string_view digest) const {
    return key(RowTag::code, digest);
}

std::string SessionKeys::expiry(std::int64_t expires_at_ms, RowTag tag,
                                std::string_view digest) const {
    return sdk::KeyWriter(expiry_before(expires_at_ms))
        .tag(static_cast<char>(tag))
        .raw(digest)
        .key();
}

std::string SessionKeys::expiry_before(std::int64_t now_ms) const {
    return sdk::KeyWriter(key(RowTag::expiry, {})).integer(stored_time(now_ms)).key();
}

std::string SessionKeys::principal(std::string_view record_key) const {
    return key(RowTag::principal, record_key);
}

std::string SessionKeys::client(std::string_view record_key) const {
    return key(RowTag::client, record_key);
}

std::string SessionKeys::client_key(std::string_view client_key) const {
    return key(RowTag::client_key, client_key);
}

std::string SessionKeys::identity_place(std::uint64_t platform, std::string_view directory_id,
                                        std::string_view identity_id) const {
    return sdk::KeyWriter(key(RowTag::identity_place, {}))
        .integer(platform)
        .text(directory_id)
        .text(identity_id)
        .key();
}

std::string SessionKeys::identity_places(std::uint64_t platform) const {
    return sdk::KeyWriter(key(RowTag::identity_place, {})).integer(platform).key();
}

std::string SessionKeys::identity_user(std::string_view identity,
                                       std::string_view principal) const {
    return sdk::KeyWriter(key(RowTag::identity_user, {})).text(identity).raw(principal).key();
}

std::optional<SessionKeys::Parts> SessionKeys::split(std::string_view key) const {
    if (key.size() <= prefix_.size() || key.substr(0, prefix_.size()) != prefix_) {
        return std::nullopt;
    }
    return Parts{static_cast<RowTag>(key[prefix_.size()]), key.substr(prefix_.size() + 1)};
}

std::optional<SessionKeys::Parts> SessionKeys::split_expiry(std::string_view key) const {
    const auto parts = split(key);
    if (!parts || parts->tag != RowTag::expiry) return std::nullopt;
    sdk::KeyReader reader(parts->rest);
    if (!reader.integer()) return std::nullopt;
    const auto tag = reader.tag();
    if (!tag) return std::nullopt;
    return Parts{static_cast<RowTag>(*tag), reader.rest()};
}

std::optional<std::string> SessionKeys::user_of(std::string_view key) const {
    const auto parts = split(key);
    if (!parts || parts->tag != RowTag::identity_user) return std::nullopt;
    sdk::KeyReader reader(parts->rest);
    if (!reader.text()) return std::nullopt;
    return std::string(reader.rest());
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
