#include "job/copy_rules.hpp"

#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "job/node_jobs.hpp"

namespace stele::nodes {

namespace {

constexpr char kSubstitutions[] = "substitutions";
constexpr char kHasGrants[] = "includeACLs";
constexpr char kKeepsSourceIds[] = "includeSourceIds";
constexpr char kRequiresAll[] = "requireAllIncludes";
constexpr char kHasRelators[] = "contentIncludeRelators";
constexpr char kHasRelatingAssociations[] = "contentIncludeRelatingAssociations";
/// Attachments come where none of them is false.
constexpr std::array kAttachmentFlags{"includeBinaries", "includeAttachments", "copyBinaries",
                                      "copyAttachments"};
constexpr std::array kFlags{
    kCopyOnExisting, kIsDryRun,    kLiftsProtection, kHasGrants,
    kKeepsSourceIds, kRequiresAll, kHasRelators,     kHasRelatingAssociations};

/// Notes what is of the wrong kind.
class SettingsReader {
public:
    explicit SettingsReader(const sdk::Json& configuration) : configuration_(configuration) {}

    void read_flag(const char* name) {
        const sdk::Json* const value = find(name);
        if (!value) return;
        const std::string word =
            value->is_string() ? sdk::lower_case(value->get<std::string>()) : std::string();
        if (!value->is_boolean() && word != "true" && word != "false")
            return refuse(name, "must be true or false");
        settings_[name] = sdk::flag_member(configuration_, name, false);
    }

    void read_strategy() {
        const sdk::Json* value = find(kStrategy);
        if (value && value->is_array()) value = value->empty() ? nullptr : &value->front();
        if (!value) return;
        if (!value->is_string()) return refuse(kStrategy, "must be COPY_EVERYTHING or CLONE");
        settings_[kStrategy] = *value;
    }

    void read_substitutions() {
        const sdk::Json* const value = find(kSubstitutions);
        if (!value) return;
        sdk::Json map = *value;
        if (map.is_string()) {
            auto parsed = sdk::parse_json(map.get<std::string>());
            map = parsed ? *std::move(parsed) : sdk::Json();
        }
        if (!map.is_object())
            return refuse(kSubstitutions, "must be an object of texts, or one as JSON text");
        for (const auto& [from, to] : map.items()) {
            if (from.empty() || !to.is_string())
                return refuse(kSubstitutions, "must map texts to texts");
        }
        settings_[kSubstitutions] = std::move(map);
    }

    sdk::Result<sdk::Json> finish() {
        if (!violations_.empty()) return sdk::make_error(std::move(violations_));
        return std::move(settings_);
    }

private:
    /// Null is as good as missing.
    const sdk::Json* find(const char* name) const {
        const auto found = configuration_.find(name);
        return found == configuration_.end() || found->is_null() ? nullptr : &*found;
    }
    void refuse(const char* name, const char* problem) {
        violations_.push_back(
            {name, "nodes.copy_setting_malformed", std::string(name) + ' ' + problem});
    }

    const sdk::Json& configuration_;
    sdk::Json settings_ = sdk::Json::object();
    sdk::Violations violations_;
};

}  // namespace

sdk::Result<sdk::Json> copy_settings(const sdk::Json& configuration) {
    SettingsReader reader(configuration);
    for (const char* name : kFlags)
        reader.read_flag(name);
    for (const char* name : kAttachmentFlags)
        reader.read_flag(name);
    reader.read_strategy();
    reader.read_substitutions();
    return reader.finish();
}

sdk::Result<CopyRules> copy_rules(const sdk::Json& order, std::size_t most) {
    CopyRules rules;
    rules.most = most;
    rules.copies_on_existing = sdk::flag_member(order, kCopyOnExisting, true);
    rules.has_grants = sdk::flag_member(order, kHasGrants, false);
    rules.keeps_source_ids = sdk::flag_member(order, kKeepsSourceIds, false);
    rules.requires_all = sdk::flag_member(order, kRequiresAll, false);
    rules.has_relators = sdk::flag_member(order, kHasRelators, false);
    rules.has_relating_associations = sdk::flag_member(order, kHasRelatingAssociations, false);
    for (const char* name : kAttachmentFlags)
        rules.has_attachments = rules.has_attachments && sdk::flag_member(order, name, true);
    const auto substitutions = order.find(kSubstitutions);
    if (substitutions != order.end()) {
        for (const auto& [from, to] : substitutions->items())
            rules.substitutions[from] = to.get<std::string>();
    }
    const std::string strategy = sdk::lower_case(sdk::text_member(order, kStrategy));
    if (strategy == "clone") {
        rules.strategy = CopyStrategy::clone;
    } else if (!strategy.empty() && strategy != "copy_everything") {
        return sdk::make_error({{kStrategy, "nodes.copy_strategy_unknown",
                                 "strategy must be COPY_EVERYTHING or CLONE"}});
    }
    return rules;
}

CopyRules clone_rules(const sdk::Json& order, std::size_t most) {
    CopyRules rules{.strategy = CopyStrategy::clone, .most = most};
    const auto excluded = order.find(kExcludedAssociations);
    if (excluded == order.end()) return rules;
    if (excluded->is_array())
        excluded->get_to(rules.excluded_types);
    else
        rules.excludes_associations = sdk::flag_member(order, kExcludedAssociations, false);
    return rules;
}

ClosureRules closure_rules(const sdk::Json& order, std::size_t most) {
    CopyRules rules = clone_rules(order, most);
    const bool brings_ends = sdk::flag_member(order, kBringsEnds, false);
    return {.excluded_types = std::move(rules.excluded_types),
            .excludes_associations = rules.excludes_associations,
            .has_relators = sdk::flag_member(order, kBroughtRelators, false),
            .depth = order.value(kBroughtDepth, std::size_t{brings_ends ? 1U : 0U}),
            .most = most};
}

}  // namespace stele::nodes
