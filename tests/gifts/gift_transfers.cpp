// Exports and imports among the steps: an export shows nothing that its starter may not READ, and
// everything else; an import does nothing that its starter could not do by single operations.
#include <set>

#include <stele/sdk/members.hpp>

#include "tests/gifts/gift_archives.hpp"
#include "tests/gifts/gift_steps.hpp"

namespace stele::kernel::gifts {

namespace {

constexpr char kPassphrase[] = "a passphrase of the walk";

GiftServer::Parameters coordinates(const std::string& artifact) {
    return {{"group", "walk"}, {"artifact", artifact}, {"version", "1"}};
}

/// As manifests and lists of rights name principals.
sdk::Json named(const std::string& type, const std::string& domain, const std::string& name) {
    return {{"type", type}, {"domain", domain}, {"name", name}};
}

std::string lines_of(const std::vector<std::string>& mistakes) {
    std::string lines;
    for (const std::string& mistake : mistakes)
        lines += "\n    " + mistake;
    return lines;
}

std::string last_message(const sdk::Json& job) {
    const auto entries = job.find("log_entries");
    if (entries == job.end() || entries->empty()) return {};
    return sdk::text_member(entries->back(), "message");
}

}  // namespace

sdk::Json GiftSteps::ended(const std::string& job) {
    return value_of(server_.jobs().wait(server_.platform(), job, std::chrono::minutes(1)));
}

bool GiftSteps::may(const Person& person, const sdk::RecordKey& record,
                    sdk::Permission permission) const {
    const auto reader = server_.services().engine->snapshot();
    return world_.permissions(*reader, person.key(), record).contains({permission});
}

std::string GiftSteps::reference_of(const sdk::RecordKey& record) {
    std::string reference;
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        reference = value_of(context.reference(record));
        return {};
    });
    return reference;
}

std::optional<Taken> GiftSteps::export_record(const Person& caller) {
    const Place& place = pick(world_.places);
    if (!server_.has_route("POST", place.route + "/export")) return std::nullopt;
    const bool may_read = may(caller, place.key, sdk::Permission::read) &&
                          may(caller, world_.vault, sdk::Permission::create_subobjects);
    const std::string artifact = new_name();
    const bool is_by_reference = may_read && below(3) == 0;
    const bool is_sealed = has_secrets(place) && below(2) == 0;
    sdk::Json settings = sdk::Json::object();
    if (is_sealed) settings["passphrase"] = kPassphrase;
    if (is_by_reference) settings["sources"] = {reference_of(place.key)};
    const bool is_started =
        is_by_reference
            ? request(caller, "POST", "/transfer/export", {}, coordinates(artifact), settings)
            : request(caller, "POST", place.route + "/export", place.values, coordinates(artifact),
                      settings);
    if (!is_started) {
        if (!may_read) return std::nullopt;
        return Taken{.wrong = "an export of what may be read was refused: " + refusal_};
    }
    const sdk::Json job = ended(reply_.at("_doc").get<std::string>());
    if (job.at("state") != "FINISHED")
        return Taken{.wrong = "an export failed: " + last_message(job)};
    const std::string id = job.at("archiveId").get<std::string>();
    // Somebody knows of it, and may not READ it.
    const Person& other = pick(world_.users);
    share_archive(server_, id, {other.key()}, "connector");
    const sdk::RecordKey archive = key_of_archive(server_, id);
    const std::string shown = shown_of(other, archive, artifact);
    if (!shown.empty() && !may(other, archive, sdk::Permission::read))
        return Taken{.wrong = "an archive was shown:" + shown};
    const auto files = read_archive(server_, id);
    const auto mistakes = mistakes_of_export(world_, caller, place, files, is_sealed);
    // It has changed nothing of the world, where looking at everybody's rights takes longest.
    if (mistakes.empty()) return std::nullopt;
    return Taken{.wrong = "an export is wrong:" + lines_of(mistakes)};
}

/// In which ways somebody gets at an archive.
std::string GiftSteps::shown_of(const Person& person, const sdk::RecordKey& archive,
                                const std::string& artifact) {
    const GiftServer::Parameters place{
        {"groupId", "walk"}, {"artifactId", artifact}, {"versionId", "1"}};
    std::string shown;
    server_.read_as(person.session, [&](sdk::Context& context) -> sdk::Result<void> {
        sdk::InnerOperations& operations = server_.operations();
        const auto look = [&](const char* what, const sdk::Result<sdk::Reply>& reply) {
            if (reply) shown += std::string(" ") + what;
        };
        look("download", operations.on_record(context, archive, {.path = "/download"}));
        look("record", operations.on_record(context, archive, {}));
        look("named", operations.on_collection(context, "archive", world_.vault,
                                               {.path = "/download", .parameters = place}));
        look("lookup",
             operations.on_collection(context, "archive", world_.vault,
                                      {.path = "/lookup", .parameters = coordinates(artifact)}));
        return {};
    });
    return shown;
}

bool GiftSteps::has_secrets(const Place& place) const {
    return place.route.empty() || place.key == world_.grant.key || place.key == world_.client.key;
}

Place GiftSteps::around(const Place& place) const {
    for (const Place& one : world_.places) {
        if (lies_in(place, one) && one.values.size() + 1 == place.values.size()) return one;
    }
    return place;
}

/// Of everything that lies in a place, whoever may read it.
GiftSteps::Kept GiftSteps::keep_export() {
    const Place* place = &pick(world_.places);
    while (!server_.has_route("POST", place->route + "/export"))
        place = &pick(world_.places);
    Kept kept{*place, new_name()};
    kept.is_sealed = has_secrets(*place);
    sdk::Json settings = sdk::Json::object();
    if (kept.is_sealed) settings["passphrase"] = kPassphrase;
    auto started = server_.request(world_.keeper.session, "POST", place->route + "/export",
                                   place->values, coordinates(kept.artifact), std::move(settings));
    // It may be gone.
    if (!started) return kept;
    const sdk::Json job = ended(started->at("_doc").get<std::string>());
    if (job.at("state") != "FINISHED") throw std::runtime_error(last_message(job));
    std::vector<sdk::RecordKey> readers;
    for (std::size_t i = 0; i < world_.actor_count(); ++i)
        readers.push_back(world_.users[i].key());
    share_archive(server_, job.at("archiveId").get<std::string>(), readers);
    kept.is_there = true;
    if (!kept.is_sealed) return kept;
    // What comes back out of it is another one then.
    server_.work([this](sdk::Context& context) -> sdk::Result<void> {
        const std::pair<const char*, std::string> opened[] = {
            {"authenticationGrant", world_.grant.id()}, {"client", world_.client.id()}};
        for (const auto& [type, id] : opened) {
            const auto changed =
                context.documents().patch({type, ""}, id, {{"secret", new_name()}});
            if (!changed && !sdk::is_missing(changed.error())) return changed.error();
        }
        return {};
    });
    return kept;
}

sdk::Json GiftSteps::any_principal() {
    if (below(3) > 0) {
        const Person& person = pick(world_.users);
        return named("USER", person.domain, person.session->principal.name);
    }
    static const std::vector<std::string> kNames{"reds", "blues", "greens"};
    return named("GROUP", world_.domain, pick(kNames));
}

/// What somebody writes by hand for a place, to get what they do not have.
GiftSteps::Kept GiftSteps::craft(Place place, const Person& caller, bool is_new) {
    const std::string reference = reference_of(place.key);
    const std::string word = reference.substr(0, reference.find("://"));
    sdk::Json chain;
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        chain = chain_of(context, place.key);
        return {};
    });
    sdk::Json fields = sdk::Json::object();
    // Another one beside it.
    if (is_new) {
        place.values.back() = new_name();
        chain.back()["id"] = place.id();
        chain.back()["key"] = reference.substr(0, reference.rfind('/') + 1) + place.id();
        fields = {{"title", "new"}, {"name", new_name()}};
        if (word == "user") fields["type"] = "USER";
        if (word == "group") fields["type"] = "GROUP";
    }
    const Kept kept{place, new_name(), false, true};
    const std::string folder = folder_of(place);
    const auto somebody = [&] {
        return below(2) == 0 ? named("USER", caller.domain, caller.session->principal.name)
                             : any_principal();
    };
    if (below(3) == 0) fields["description"] = new_name();
    if (word == "accessPolicy" && below(2) == 0)
        fields["statements"] = {{{"action", "grant"}, {"roles", {any_role()}}}};
    if (word == "authenticationGrant" && below(2) == 0) {
        const Person& person = pick(world_.users);
        fields["principalDomainId"] = person.domain;
        fields["principalId"] = person.id;
        fields["allowOpenDriverAuthentication"] = true;
    }
    if (word == "project" && below(2) == 0) fields["stackId"] = pick(world_.stacks).id();
    if (place.has_teams && below(4) == 0) fields["enableAuthorities"] = false;
    // Half of them want one thing only, so that nothing else is what they are refused for.
    enum List : std::size_t { kAcl, kTeams, kRoles, kMembers, kTargets, kLists };
    const bool is_team_wanted = place.has_teams && below(3) == 0;
    const std::size_t only = is_team_wanted ? kTeams : below(2 * kLists);
    const auto has = [only](List list, bool usually) {
        return only < kLists ? only == list : usually;
    };
    ArchiveFiles files;
    const auto write = [&](const std::string& name, const sdk::Json& value) {
        files[folder + "/" + name] = sdk::dump_json(value);
    };
    write(word + ".json", fields);
    if (has(kAcl, below(3) > 0)) {
        sdk::Json entry = somebody();
        entry["authorities"] = {any_role()};
        write("acl.json", sdk::Json::array({entry}));
    }
    if (place.has_teams && has(kTeams, below(2) == 0)) {
        const std::string key = place.key == world_.focus.key && below(2) == 0 ? world_.crew
                                : is_team_wanted || below(2) == 0              ? "owners"
                                                                               : new_name();
        sdk::Json team{{"key", key},
                       {"roleKeys", sdk::Json::array()},
                       {"members", sdk::Json::array({somebody()})}};
        if (!is_team_wanted && below(2) == 0) team["roleKeys"].push_back(any_role());
        write("teams.json", sdk::Json::array({team}));
    }
    if (place.has_teams && has(kRoles, below(4) == 0)) {
        const char* const most = below(2) == 0 ? "IMPERSONATE" : "MODIFY_PERMISSIONS";
        const sdk::Json role{{"roleKey", below(2) == 0 ? "helper" : "guide"},
                             {"permissions", {"CONNECT", "READ", "UPDATE", most}}};
        write("roles.json", sdk::Json::array({role}));
    }
    if (word == "group" && has(kMembers, true))
        write("members.json", sdk::Json::array({somebody()}));
    if (word == "accessPolicy" && has(kTargets, below(2) == 0))
        write("targets.json", sdk::Json::array({somebody()}));
    if (word == "stack" && below(2) == 0) {
        const Place& store = pick(world_.stores);
        const std::string key = reference_of(store.key);
        write("companions.json", {{"first", key}});
        files[folder_of(store) + "/" + key.substr(0, key.find("://")) + ".json"] = "{}";
    }
    if ((word == "user" || word == "group") && below(4) == 0)
        write("policies.json", sdk::Json::array({"project-collaborator"}));
    if (!is_new && below(4) == 0) craft_inner(place, files);
    files["manifest.json"] = sdk::dump_json({{"model", "3.0.0"},
                                             {"group", "walk"},
                                             {"artifact", kept.artifact},
                                             {"version", "1"},
                                             {"tipChangesetOnly", true},
                                             {"sources", sdk::Json::array({chain})}});
    put_archive(server_, kept.artifact, files, {caller.key()});
    return kept;
}

/// A record in the place: one that is there and is to be changed, or a new one.
void GiftSteps::craft_inner(const Place& place, ArchiveFiles& files) {
    std::vector<Place> inside;
    for (const Place& one : world_.places) {
        const bool is_inside = lies_in(one, place) && one.values.size() == place.values.size() + 1;
        if (is_inside && !world_.is_gone(one.key)) inside.push_back(one);
    }
    if (!inside.empty() && below(2) == 0) {
        const Place& one = pick(inside);
        const std::string reference = reference_of(one.key);
        files[folder_of(one) + "/" + reference.substr(0, reference.find("://")) + ".json"] =
            sdk::dump_json({{"description", new_name()}});
        return;
    }
    static const std::map<std::string, std::pair<const char*, const char*>> kInner{
        {"", {"/webhosts/", "webhost"}},
        {"/webhosts/{webhostId}", {"/pages/", "page"}},
        {"/repositories/{repositoryId}", {"/drawers/", "drawer"}},
        {"/domains/{domainId}", {"/principals/", "group"}}};
    const auto found = kInner.find(place.route);
    if (found == kInner.end()) return;
    const auto& [path, word] = found->second;
    files[folder_of(place) + path + new_name() + "/" + word + ".json"] =
        sdk::dump_json({{"title", "inner"}, {"type", "GROUP"}, {"name", new_name()}});
}

/// What an archive is written about: often something that the caller may at least begin to import.
const Place& GiftSteps::wanted_place(const Person& caller, bool is_new) {
    const Place* wanted = nullptr;
    for (int tries = 0; tries < 6; ++tries) {
        // What holds nothing but rights is one of many places.
        wanted = below(4) > 0    ? &pick(world_.places)
                 : below(2) == 0 ? &pick(world_.groups)
                                 : &pick(world_.policies);
        const sdk::RecordKey target = is_new ? around(*wanted).key : wanted->key;
        if (!target.empty() && may(caller, target, sdk::Permission::update)) break;
    }
    return *wanted;
}

std::optional<Taken> GiftSteps::import_archive(const Person& caller) {
    if (kept_.empty() || below(4) == 0) {
        Kept kept = keep_export();
        if (kept.is_there) kept_.push_back(std::move(kept));
    }
    const bool is_crafted = kept_.empty() || below(3) > 0;
    const bool is_beside = is_crafted && below(4) == 0;
    const Place& wanted = wanted_place(caller, is_beside);
    // Something that is gone has no archive that is about it.
    if (is_crafted && world_.is_gone(wanted.key)) return std::nullopt;
    if (is_crafted && !server_.has_route("POST", wanted.route + "/import")) return std::nullopt;
    const bool is_new = is_beside && !wanted.values.empty();
    const Kept chosen = is_crafted ? craft(wanted, caller, is_new) : pick(kept_);
    // Onto the place, or into what it lies in.
    const bool is_into = is_new || (!is_crafted && below(2) == 0);
    const Place target = is_into ? around(chosen.place) : chosen.place;
    static const std::vector<std::string> kStrategies{"CLONE", "CLONE", "COPY_EVERYTHING"};
    sdk::Json settings{{"strategy", pick(kStrategies)}, {"copyOnExisting", below(3) > 0}};
    if (below(5) == 0) {
        settings["substitutions"] = {{pick(world_.users).id, caller.id},
                                     {pick(world_.places).id(), pick(world_.places).id()}};
    }
    if (chosen.is_sealed && below(3) > 0) settings["passphrase"] = kPassphrase;
    const RecordTable before(world_, caller);
    const bool is_started =
        below(4) == 0 && !world_.is_gone(target.key)
            ? request(
                  caller, "POST", "/transfer/import", {},
                  [&] {
                      auto parameters = coordinates(chosen.artifact);
                      parameters.emplace_back("target", reference_of(target.key));
                      return parameters;
                  }(),
                  settings)
            : request(caller, "POST", target.route + "/import", target.values,
                      coordinates(chosen.artifact), settings);
    if (!is_started) return std::nullopt;
    const sdk::Json job = ended(reply_.at("_doc").get<std::string>());
    const bool is_finished = job.at("state") == "FINISHED";
    told_ += is_finished ? " (finished)" : " (" + last_message(job) + ")";
    if (is_finished) ++succeeded()[is_crafted ? "import by hand" : "import of an export"];
    Taken taken = brought(caller, before, is_finished);
    // Nor has one that failed, as was seen.
    if (!is_finished && !taken.wrong) return std::nullopt;
    return taken;
}

Taken GiftSteps::brought(const Person& caller, const RecordTable& before, bool is_finished) {
    const RecordTable after(world_, caller);
    std::set<std::string> types;
    for (const Place& place : world_.places) {
        const auto row = before.rows().find(place.key);
        if (row != before.rows().end()) types.insert(row->second.type);
    }
    Taken taken{.made = after.new_principals(before)};
    std::vector<std::string> mistakes = after.mistakes_since(before, types);
    if (!is_finished && after.rows().size() != before.rows().size())
        mistakes.push_back("it failed and left something behind");
    if (!mistakes.empty()) taken.wrong = "an import is wrong:" + lines_of(mistakes);
    // Whose rights authentication grants give now, and what opens them.
    for (const auto& [key, row] : after.rows()) {
        if (row.type != "authenticationGrant") continue;
        const auto was = before.rows().find(key);
        const auto owner_of = [](const RecordTable::Row& one) {
            return sdk::text_member(one.fields, "principalId");
        };
        const bool is_same = was != before.rows().end() && was->second.secret == row.secret &&
                             owner_of(was->second) == owner_of(row);
        if (is_same) continue;
        for (std::size_t i = 0; i < world_.users.size(); ++i) {
            if (world_.users[i].id != owner_of(row)) continue;
            if (key == world_.grant.key) world_.grant_owner = i;
            taken.principals.push_back(world_.users[i].key());
        }
    }
    return taken;
}

}  // namespace stele::kernel::gifts
