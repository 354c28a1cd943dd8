#include "tests/gifts/gift_archives.hpp"

#include <algorithm>

#include <stele/sdk/members.hpp>
#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr std::size_t kMaxFile = std::size_t{16} << 20;
const sdk::CollectionName kVaults{"vault", ""};
constexpr char kArchive[] = "archive";

using Texts = std::set<std::string>;

std::string bytes_of(sdk::Reply reply) {
    std::string bytes = reply.take_body();
    const sdk::BodySource source =
        reply.ranges() ? reply.ranges()(0, reply.size()) : reply.source();
    while (source && value_of(source(bytes))) {
    }
    return bytes;
}

std::string zipped(GiftServer& server, const ArchiveFiles& files) {
    std::string bytes;
    auto writer = value_of(sdk::ZipWriter::open(
        [&bytes](std::string_view piece) -> sdk::Result<void> {
            bytes += piece;
            return {};
        },
        server.services().data_folder));
    for (const auto& [path, text] : files)
        resource::testing::expect(writer.add(path, text));
    resource::testing::expect(writer.finish());
    return bytes;
}

/// The rows that an operation answers to whoever asks; none to whom it is refused.
sdk::Json rows_of(sdk::Context& context, const sdk::RecordKey& record,
                  sdk::InnerOperation operation) {
    operation.parameters.emplace_back("limit", "-1");
    auto page = json_of(GiftServer::instance().operations().on_record(context, record, operation));
    return page ? page->at("rows") : sdk::Json::array();
}

std::string name_of(const sdk::Json& principal, const char* domain) {
    return sdk::text_member(principal, "type") + " " + sdk::text_member(principal, domain) + "/" +
           sdk::text_member(principal, "name");
}

Texts texts_of(const sdk::Json& list) {
    Texts texts;
    for (const sdk::Json& text : list)
        texts.insert(text.get<std::string>());
    return texts;
}

/// Compares the files beside one record with what its operations answer to the exporter.
class FilesBeside {
public:
    FilesBeside(sdk::Context& context, sdk::RecordKey record, std::string location,
                const ArchiveFiles& files, bool is_sealed, std::vector<std::string>& mistakes)
        : context_(context),
          record_(std::move(record)),
          location_(std::move(location)),
          files_(files),
          is_sealed_(is_sealed),
          mistakes_(mistakes) {}

    void compare(const std::string& word) {
        auto served = json_of(server_.operations().on_record(context_, record_, {}));
        if (!served) {
            mistakes_.push_back(location_ + " cannot be read: " + served.error().message);
            return;
        }
        // The vault has become another one by the archive.
        const sdk::Json fields = word == "vault" ? sdk::Json::object() : file(word + ".json");
        for (const auto& [name, value] : fields.items()) {
            if (!served->contains(name) || served->at(name) != value)
                mistakes_.push_back(location_ + " says another " + name);
        }
        same("acl.json", granted_in(file("acl.json")), granted());
        // Those of a user or group are the teams that it is in.
        const bool has_teams = value_of(server_.families().of(context_, record_))->has_teams;
        same("teams.json", teams_in(file("teams.json")), has_teams ? teams() : Texts());
        Texts roles;
        for (const sdk::Json& role : rows_of(context_, record_, {.path = "/roles"}))
            roles.insert(role.at("roleKey").get<std::string>());
        Texts told;
        for (const sdk::Json& role : file("roles.json"))
            told.insert(role.at("roleKey").get<std::string>());
        same("roles.json", told, roles);
        if (word == "group")
            same("members.json", names_in(file("members.json"), "domain"),
                 names_in(rows_of(context_, record_, {.path = "/members"}), "domainId"));
        if (word == "accessPolicy")
            same("targets.json", names_in(file("targets.json"), "domain"), targets());
        if (word == "group" || word == "user")
            same("policies.json", texts_of(file("policies.json")), system_policies());
        const bool has_secrets = files_.contains(location_ + "/secrets.json");
        if (has_secrets != (is_sealed_ && is_told_secrets()))
            mistakes_.push_back(location_ + (has_secrets ? " has" : " lacks") + " its secrets");
        const sdk::Json companions = file("companions.json");
        for (const auto& [name, key] : companions.items())
            require_readable(key.get<std::string>());
    }

private:
    /// Empty where there is none.
    sdk::Json file(const std::string& name) const {
        const auto found = files_.find(location_ + "/" + name);
        return found == files_.end() ? sdk::Json::object()
                                     : value_of(sdk::parse_json(found->second));
    }
    void same(const char* what, const Texts& told, const Texts& served) {
        if (told == served) return;
        std::string line = location_ + "/" + what + " says";
        for (const std::string& text : told)
            line += " [" + text + "]";
        line += " and not";
        for (const std::string& text : served)
            line += " [" + text + "]";
        mistakes_.push_back(line);
    }
    void require_readable(const std::string& reference) {
        if (!context_.read_reference(reference))
            mistakes_.push_back(location_ + " names " + reference);
    }

    static Texts names_in(const sdk::Json& list, const char* domain) {
        Texts names;
        for (const sdk::Json& principal : list)
            names.insert(name_of(principal, domain));
        return names;
    }
    static Texts granted_in(const sdk::Json& acl) {
        Texts granted;
        for (const sdk::Json& entry : acl) {
            for (const sdk::Json& role : entry.at("authorities"))
                granted.insert(name_of(entry, "domain") + " " + role.get<std::string>());
        }
        return granted;
    }
    Texts granted() {
        Texts granted;
        for (const sdk::Json& row : rows_of(context_, record_, {.path = "/acl/list"})) {
            const auto holder = value_of(server_.services().principals->find(
                context_.as_system(),
                row.at("domainId").get<std::string>() + "/" + row.at("_doc").get<std::string>()));
            // What they hold is told with their teams.
            if (value_of(server_.services().teams.team_of(context_.as_system(), holder.key)))
                continue;
            for (const sdk::Json& role : row.at("authorities"))
                granted.insert(name_of(row, "domainId") + " " + role.get<std::string>());
        }
        return granted;
    }
    static Texts teams_in(const sdk::Json& list) {
        Texts teams;
        for (const sdk::Json& team : list) {
            const std::string key = team.at("key").get<std::string>();
            teams.insert(key);
            for (const std::string& role : texts_of(team.at("roleKeys")))
                teams.insert(key + " is " + role);
            for (const std::string& member : names_in(team.at("members"), "domain"))
                teams.insert(key + " has " + member);
        }
        return teams;
    }
    Texts teams() {
        Texts teams;
        for (const sdk::Json& team : rows_of(context_, record_, {.path = "/teams"})) {
            const std::string key = team.at("key").get<std::string>();
            teams.insert(key);
            for (const std::string& role : texts_of(team.at("roleKeys")))
                teams.insert(key + " is " + role);
            const sdk::Json members =
                rows_of(context_, record_, {.path = "/teams/{teamKey}/members", .values = {key}});
            for (const std::string& member : names_in(members, "domainId"))
                teams.insert(key + " has " + member);
        }
        return teams;
    }

    /// To whom the policy is assigned, of those whom the exporter may READ.
    Texts targets() {
        Texts names;
        for (const sdk::Json& row : rows_of(context_, record_, {.path = "/targets"})) {
            const std::string reference = row.get<std::string>();
            if (!context_.read_reference(reference)) continue;
            const auto one = value_of(server_.services().principals->describe(
                context_, value_of(context_.find_reference(reference))));
            const bool is_user = one.kind == sdk::PrincipalKind::user;
            names.insert((is_user ? "USER " : "GROUP ") + one.domain_id + "/" + one.name);
        }
        return names;
    }
    Texts system_policies() {
        auto page = json_of(server_.operations().on_collection(
            context_, "accessPolicy", context_.platform().root,
            {.method = "POST",
             .path = "/find",
             .parameters = {{"ref", value_of(context_.reference(record_))}, {"limit", "-1"}}}));
        Texts keys;
        if (!page) return keys;
        for (const sdk::Json& policy : page->at("rows")) {
            if (sdk::flag_member(policy, "system", false))
                keys.insert(sdk::text_member(policy, "_doc"));
        }
        return keys;
    }
    bool is_told_secrets() {
        const auto served = json_of(
            server_.operations().on_record(context_, record_, {.parameters = {{"full", "true"}}}));
        return served && served->contains("secret");
    }

    GiftServer& server_ = GiftServer::instance();
    sdk::Context& context_;
    const sdk::RecordKey record_;
    const std::string location_;
    const ArchiveFiles& files_;
    const bool is_sealed_;
    std::vector<std::string>& mistakes_;
};

/// Records that an export of the place has to hold, as far as the world knows them.
std::set<sdk::RecordKey> due(const GiftWorld& world, const Person& exporter, const Place& place) {
    GiftServer& server = GiftServer::instance();
    const auto reader = server.services().engine->snapshot();
    const auto reads = [&](const Place& other) {
        return world.permissions(*reader, exporter.key(), other.key)
            .contains({sdk::Permission::read});
    };
    std::set<sdk::RecordKey> keys;
    for (const Place& inner : world.places) {
        if (!lies_in(inner, place) || !server.has_route("POST", inner.route + "/export")) continue;
        const bool is_reached =
            std::all_of(world.places.begin(), world.places.end(), [&](const Place& between) {
                return !lies_in(inner, between) || !lies_in(between, place) || reads(between);
            });
        // Whoever reaches everything has rights on what is gone, too.
        if (is_reached && !world.is_gone(inner.key)) keys.insert(inner.key);
    }
    return keys;
}

}  // namespace

sdk::Result<sdk::Json> json_of(sdk::Result<sdk::Reply> reply) {
    if (!reply) return reply.error();
    return sdk::parse_json(bytes_of(*std::move(reply)));
}

ArchiveFiles read_archive(GiftServer& server, const std::string& id) {
    ArchiveFiles files;
    server.work([&](sdk::Context& context) -> sdk::Result<void> {
        const auto vault = value_of(context.documents().read(kVaults, "primary"));
        const auto archive = value_of(context.documents().read({kArchive, {}, vault.key}, id));
        sdk::testing::MemoryBytes bytes(bytes_of(
            value_of(server.operations().on_record(context, archive.key, {.path = "/download"}))));
        const auto zip = value_of(sdk::ZipReader::open(bytes, {.entries = 100'000}));
        return zip.for_each([&](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
            files[entry.path] = value_of(zip.read_all(entry, kMaxFile));
            return true;
        });
    });
    return files;
}

void put_archive(GiftServer& server, const std::string& artifact, const ArchiveFiles& files,
                 const std::vector<sdk::RecordKey>& readers) {
    const std::string bytes = zipped(server, files);
    std::string id;
    server.work([&](sdk::Context& context) -> sdk::Result<void> {
        const auto vault = value_of(context.documents().read(kVaults, "primary"));
        sdk::InnerOperation upload{
            .method = "POST",
            .parameters = {{"group", "walk"}, {"artifact", artifact}, {"version", "1"}},
            .bytes = [&bytes]() -> sdk::Result<sdk::PieceSource> {
                return sdk::PieceSource([left = bytes](std::string& piece) mutable {
                    piece = std::exchange(left, {});
                    return sdk::Result<void>();
                });
            },
            .content_type = "application/zip"};
        const sdk::Json made = value_of(
            json_of(server.operations().on_collection(context, kArchive, vault.key, upload)));
        id = made.at("_doc").get<std::string>();
        return {};
    });
    share_archive(server, id, readers);
}

sdk::RecordKey key_of_archive(GiftServer& server, const std::string& id) {
    sdk::RecordKey key;
    server.work([&](sdk::Context& context) -> sdk::Result<void> {
        const auto vault = value_of(context.documents().read(kVaults, "primary"));
        key = value_of(context.documents().read({kArchive, {}, vault.key}, id)).key;
        return {};
    });
    return key;
}

void share_archive(GiftServer& server, const std::string& id,
                   const std::vector<sdk::RecordKey>& holders, const char* role) {
    const sdk::RecordKey key = key_of_archive(server, id);
    server.work([&](sdk::Context& context) -> sdk::Result<void> {
        for (const sdk::RecordKey& holder : holders)
            resource::testing::expect(context.authorities().grant(key, holder, role));
        return {};
    });
}

bool lies_in(const Place& place, const Place& other) {
    return place.route.starts_with(other.route) && place.values.size() >= other.values.size() &&
           std::equal(other.values.begin(), other.values.end(), place.values.begin());
}

std::string folder_of(const Place& place) {
    std::string folder = "platforms/" + GiftServer::instance().platform().id;
    std::string_view route = place.route;
    for (const std::string& value : place.values) {
        folder += route.substr(0, route.find('{'));
        folder += value;
        route.remove_prefix(route.find('}') + 1);
    }
    return folder;
}

sdk::Json chain_of(sdk::Context& context, const sdk::RecordKey& key) {
    std::vector<std::string> references;
    std::optional<sdk::RecordKey> step = key;
    while (step) {
        references.push_back(value_of(context.reference(*step)));
        step = value_of(GiftServer::instance().families().container_of(context, *step));
    }
    sdk::Json chain = sdk::Json::array();
    for (auto reference = references.rbegin(); reference != references.rend(); ++reference) {
        chain.push_back({{"typeId", reference->substr(0, reference->find("://"))},
                         {"id", reference->substr(reference->rfind('/') + 1)},
                         {"key", *reference}});
    }
    return chain;
}

std::vector<std::string> mistakes_of_export(const GiftWorld& world, const Person& exporter,
                                            const Place& place, const ArchiveFiles& files,
                                            bool is_sealed) {
    GiftServer& server = GiftServer::instance();
    std::vector<std::string> mistakes;
    std::set<sdk::RecordKey> missing = due(world, exporter, place);
    const auto reader = server.services().engine->snapshot();
    const sdk::Json manifest = value_of(sdk::parse_json(files.at("manifest.json")));
    std::size_t listed = 1;
    server.read_as(exporter.session, [&](sdk::Context& context) -> sdk::Result<void> {
        for (const auto& [name, entry] : manifest.at("contents").items()) {
            const std::string reference = entry.at("key").get<std::string>();
            const auto key = value_of(context.as_system().find_reference(reference));
            missing.erase(key);
            listed += entry.at("files").size();
            if (!world.permissions(*reader, exporter.key(), key).contains({sdk::Permission::read}))
                mistakes.push_back("it holds " + reference);
            FilesBeside(context, key, entry.at("location").get<std::string>(), files, is_sealed,
                        mistakes)
                .compare(reference.substr(0, reference.find("://")));
        }
        for (const sdk::RecordKey& key : missing)
            mistakes.push_back("it lacks " + value_of(context.as_system().reference(key)));
        return {};
    });
    if (listed != files.size()) mistakes.push_back("it has files that its manifest does not list");
    return mistakes;
}

}  // namespace stele::kernel::gifts
