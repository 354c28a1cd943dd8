#include "templates/template_search.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "archive/archive_store.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kProject[] = "project";
constexpr char kCreated[] = "_system.created_on.ms";
/// An archive's record may be long.
constexpr std::int64_t kPageRows = 100;
/// There are as many artifacts as pairs of these.
constexpr std::size_t kMaxHyphens = 64;

bool is_newer(const sdk::Document& one, const sdk::Document& other) {
    const std::int64_t ones = sdk::system_ms(one.fields, "created_on");
    const std::int64_t others = sdk::system_ms(other.fields, "created_on");
    return ones == others ? one.id > other.id : ones > others;
}

}  // namespace

std::string template_identifier(const sdk::Json& archive) {
    const Coordinates coordinates = coordinates_of(archive);
    return coordinates.group + '-' + coordinates.artifact + '-' + coordinates.version;
}

bool is_project_template(const sdk::Json& archive) {
    const std::string type = sdk::text_member(archive, "templateType");
    return sdk::flag_member(archive, "published", false) &&
           sdk::text_member(archive, "type") == kProject &&
           (type.empty() || sdk::equals_ignoring_case(type, kProject));
}

bool is_archive_reference(std::string_view name) {
    return name.starts_with("archive://");
}

sdk::Json coordinates_condition(std::string_view identifier) {
    std::vector<std::size_t> hyphens;
    for (std::size_t at = identifier.find('-'); at != std::string_view::npos;
         at = identifier.find('-', at + 1))
        hyphens.push_back(at);
    if (hyphens.size() < 2 || hyphens.size() > kMaxHyphens) return {};
    sdk::Json groups = sdk::Json::array();
    sdk::Json artifacts = sdk::Json::array();
    sdk::Json versions = sdk::Json::array();
    for (std::size_t first = 0; first < hyphens.size(); ++first) {
        const std::size_t from = hyphens[first] + 1;
        groups.push_back(identifier.substr(0, hyphens[first]));
        versions.push_back(identifier.substr(from));
        for (std::size_t last = first + 1; last < hyphens.size(); ++last)
            artifacts.push_back(identifier.substr(from, hyphens[last] - from));
    }
    return {{"group", {{"$in", std::move(groups)}}},
            {"artifact", {{"$in", std::move(artifacts)}}},
            {"version", {{"$in", std::move(versions)}}}};
}

sdk::Result<void> TemplateSearch::look_through(const sdk::RecordKey& vault, sdk::Json condition,
                                               bool is_oldest_first, const Look& look) const {
    condition["published"] = true;
    condition["type"] = kProject;
    sdk::PageRequest page;
    page.limit = kPageRows;
    page.sort.push_back({kCreated, is_oldest_first});
    while (true) {
        auto found = context_.documents().query({kArchiveType, {}, vault}, condition, page);
        if (!found) return found.error();
        for (sdk::Document& archive : found->rows) {
            auto goes_on = look(archive);
            if (!goes_on) return goes_on.error();
            if (!*goes_on) return {};
        }
        page.skip += found->rows.size();
        if (found->rows.empty() || page.skip >= found->total_rows) return {};
    }
}

sdk::Result<void> TemplateSearch::for_each(const Visit& visit) const {
    const auto list = [&](const sdk::RecordKey& vault) -> sdk::Result<bool> {
        auto reads_all = context_.documents().reads_all({kArchiveType, {}, vault});
        if (!reads_all) return reads_all.error();
        const Look show = [&](sdk::Document& archive) -> sdk::Result<bool> {
            if (!is_project_template(archive.fields)) return true;
            auto may = *reads_all ? sdk::Result<bool>(true)
                                  : sdk::holds(context_, archive.key, sdk::Permission::read);
            if (!may) return may.error();
            if (!*may) return true;
            if (auto shown = visit(archive); !shown) return shown.error();
            return true;
        };
        if (auto listed = look_through(vault, sdk::Json::object(), true, show); !listed)
            return listed.error();
        return true;
    };
    return families_.for_each(context_, kVault, context_.platform().root, list);
}

sdk::Result<std::optional<sdk::Document>> TemplateSearch::find(const std::string& name) const {
    if (is_archive_reference(name)) return find_reference(name);
    sdk::Json condition = coordinates_condition(name);
    if (!condition.is_null()) {
        auto found = find_newest(condition, [&name](const sdk::Json& archive) {
            return template_identifier(archive) == name;
        });
        if (!found || *found) return found;
    }
    return find_newest({{"templateKey", name}}, [](const sdk::Json&) { return true; });
}

sdk::Result<std::optional<sdk::Document>> TemplateSearch::find_reference(
    const std::string& reference) const {
    auto key = context_.find_reference(reference);
    if (!key && (sdk::is_missing(key.error()) || key.error().kind == sdk::ErrorKind::invalid))
        return std::optional<sdk::Document>();
    if (!key) return key.error();
    auto archive = sdk::if_readable(context_, context_.documents().read(*key));
    if (!archive) return archive.error();
    if (!*archive || !is_project_template((*archive)->fields))
        return std::optional<sdk::Document>();
    return std::move(*archive);
}

sdk::Result<std::optional<sdk::Document>> TemplateSearch::find_newest(const sdk::Json& condition,
                                                                      const Fits& fits) const {
    std::optional<sdk::Document> newest;
    const Look compare = [&](sdk::Document& archive) -> sdk::Result<bool> {
        // The others of the vault are older still.
        if (newest && sdk::system_ms(archive.fields, "created_on") <
                          sdk::system_ms(newest->fields, "created_on"))
            return false;
        if (!is_project_template(archive.fields) || !fits(archive.fields)) return true;
        if (newest && !is_newer(archive, *newest)) return true;
        auto may = sdk::holds(context_, archive.key, sdk::Permission::read);
        if (!may) return may.error();
        if (*may) newest = std::move(archive);
        return true;
    };
    const auto search = [&](const sdk::RecordKey& vault) -> sdk::Result<bool> {
        if (auto looked = look_through(vault, condition, false, compare); !looked)
            return looked.error();
        return true;
    };
    auto searched = families_.for_each(context_, kVault, context_.platform().root, search);
    if (!searched) return searched.error();
    return newest;
}

}  // namespace stele::archives
