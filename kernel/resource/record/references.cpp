#include "kernel/resource/record/references.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/team_rows.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error malformed(std::string_view reference) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "reference.malformed",
        fmt::format("{} is no reference; one looks like type://platform/id", reference));
}

std::vector<std::string> split_ids(std::string_view ids) {
    std::vector<std::string> parts;
    while (!ids.empty()) {
        const std::size_t slash = ids.find('/');
        parts.emplace_back(ids.substr(0, slash));
        ids = slash == std::string_view::npos ? std::string_view() : ids.substr(slash + 1);
    }
    return parts;
}

constexpr char kTeamWord[] = "team";

/// What stands before `://`.
sdk::Result<std::string> reference_word(const RegisteredResource& resource,
                                        const storage::Record& record) {
    const std::string& member = resource.descriptor.reference_type_member;
    if (member.empty()) return resource.descriptor.type;
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    return sdk::lower_case(sdk::text_member(document->fields, member));
}

}  // namespace

/// `team://{type}/{platform}/{ids of the record}/{key}`: the group that stands behind the team.
sdk::Result<sdk::RecordKey> References::find_team(const sdk::Reader& reader,
                                                  const sdk::PlatformScope& platform,
                                                  std::string_view reference) const {
    std::vector<std::string> parts = split_ids(reference.substr(reference.find("://") + 3));
    if (parts.size() < 3 || sdk::lower_case(parts.front()) == kTeamWord)
        return malformed(reference);
    const std::string key = parts.back();
    std::string of_record = parts.front() + "://";
    for (std::size_t i = 1; i + 1 < parts.size(); ++i)
        of_record += (i > 1 ? "/" : "") + parts[i];
    auto record = find(reader, platform, of_record);
    if (!record && sdk::is_missing(record.error())) return unknown_record("record", reference);
    if (!record) return record;
    for (const std::string& spelled : {key, sdk::lower_case(key)}) {
        auto team = read_team(reader, *record, spelled);
        if (!team) return team.error();
        if (*team) return (*team)->group;
    }
    return unknown_record("record", reference);
}

sdk::Result<std::string> References::reference(const sdk::Reader& reader,
                                               const sdk::PlatformScope& platform,
                                               const sdk::RecordKey& key) const {
    if (key == platform.root) return "platform://" + platform.id;
    std::string ids;
    std::string word;
    sdk::RecordKey step = key;
    while (step != platform.root) {
        storage::CollectionId collection;
        std::string_view sequence;
        if (!storage::split_record_key(step, collection, sequence)) {
            return unknown_record("record", "of that key");
        }
        auto info = records_.info_of(reader, collection);
        if (!info) return info.error();
        storage::Record record;
        if (auto found = records_.read(reader, step, record); !found) return found.error();
        if (word.empty()) {
            if (!(*info)->resource) return unknown_record((*info)->type, id_of(record));
            auto found_word = reference_word(*(*info)->resource, record);
            if (!found_word) return found_word;
            word = *found_word;
        }
        ids = "/" + id_of(record) + ids;
        step = (*info)->container;
    }
    return word + "://" + platform.id + ids;
}

sdk::Result<sdk::RecordKey> References::find(const sdk::Reader& reader,
                                             const sdk::PlatformScope& platform,
                                             std::string_view reference) const {
    const std::size_t separator = reference.find("://");
    if (separator == std::string_view::npos || separator == 0) return malformed(reference);
    const std::string_view word = reference.substr(0, separator);
    const std::vector<std::string> ids = split_ids(reference.substr(separator + 3));
    if (ids.empty()) return malformed(reference);
    if (sdk::lower_case(word) == kTeamWord) return find_team(reader, platform, reference);
    if (sdk::lower_case(ids.front()) != sdk::lower_case(platform.id)) {
        return unknown_record("record", reference);
    }
    if (sdk::lower_case(word) == kPlatformType) return platform.root;
    const RegisteredResource* resource = records_.registry().find_reference_type(word);
    if (!resource) return unknown_record("record", reference);
    if (ids.size() != resource->chain.size() + 1) return malformed(reference);

    // Which of its parts is missing would tell of those that are there, whoever may know of them.
    const auto missing = [&](const sdk::Error& error) {
        return sdk::is_missing(error) ? unknown_record("record", reference) : error;
    };
    storage::Record record;
    for (std::size_t i = 0; i < resource->chain.size(); ++i) {
        auto place = i == 0 ? records_.collection(reader, platform, *resource->chain[i])
                            : records_.collection_inside(reader, *resource->chain[i], record);
        if (!place) return missing(place.error());
        auto found = records_.read(reader, *place, ids[i + 1], record);
        if (!found && sdk::is_missing(found.error())) {
            found = records_.read(reader, *place, sdk::lower_case(ids[i + 1]), record);
        }
        if (!found) return missing(found.error());
    }
    return record.key();
}

}  // namespace stele::kernel::resource
