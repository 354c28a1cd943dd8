#include "branch/changeset_id.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

namespace stele::nodes {

namespace {

constexpr std::size_t kRandomBytes = kRandomPartSize / 2;

}  // namespace

std::string changeset_id(Revision revision, std::string_view random_part) {
    if (revision == kFirstRevision) return "0:root";
    return std::to_string(revision - kFirstRevision).append(":").append(random_part);
}

std::uint64_t revision_number(Revision revision) {
    return revision - kFirstRevision;
}

std::optional<Revision> revision_of(std::string_view changeset_id) {
    Revision shown = 0;
    const char* const end = changeset_id.data() + changeset_id.size();
    const auto [stop, problem] = std::from_chars(changeset_id.data(), end, shown);
    if (problem != std::errc() || stop == end || *stop != ':') return std::nullopt;
    if (shown >= kUncommitted - kFirstRevision) return std::nullopt;
    return shown + kFirstRevision;
}

std::string ChangesetNote::encode() const {
    sdk::Json note = {{"id", random_part},
                      {"on", made_ms},
                      {"by", user_name},
                      {"user", user_id},
                      {"domain", user_domain_id}};
    if (!summary.empty()) note["summary"] = summary;
    if (merged > 0) note["merged"] = merged;
    return sdk::dump_json(note);
}

sdk::Result<ChangesetNote> ChangesetNote::decode(std::string_view bytes) {
    auto json = sdk::parse_json(bytes);
    if (!json || !json->is_object()) {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.changeset_note_broken",
                               "what is kept about a changeset cannot be read");
    }
    ChangesetNote note;
    note.random_part = sdk::text_member(*json, "id");
    note.made_ms = sdk::integer_member(*json, "on").value_or(0);
    note.user_name = sdk::text_member(*json, "by");
    note.user_id = sdk::text_member(*json, "user");
    note.user_domain_id = sdk::text_member(*json, "domain");
    note.summary = sdk::text_member(*json, "summary");
    note.merged = static_cast<Revision>(sdk::integer_member(*json, "merged").value_or(0));
    return note;
}

void ChangesetNote::set_user(const sdk::Principal& user) {
    user_name = user.name;
    user_id = user.id;
    user_domain_id = user.domain_id;
}

ChangesetNote new_note(const sdk::Principal& user) {
    ChangesetNote note;
    note.random_part = sdk::random_hex(kRandomBytes);
    note.made_ms = sdk::now_ms();
    note.set_user(user);
    return note;
}

}  // namespace stele::nodes
