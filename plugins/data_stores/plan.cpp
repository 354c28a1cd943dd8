#include "plan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "tenant.hpp"

namespace stele::data_stores {

namespace {

constexpr std::size_t kMaxKeyLength = 128;
/// Of an amount: no limit.
constexpr double kUnlimited = -1;
constexpr const char* kMeteredParts[] = {"storage", "transferOut"};

void check_amount(const std::string& path, const sdk::Json& part, const char* name,
                  sdk::Violations& violations) {
    const auto amount = part.find(name);
    if (amount == part.end() || amount->is_null()) return;
    if (amount->is_number()) {
        const double value = amount->get<double>();
        if (value >= 0 || value == kUnlimited) return;
    }
    violations.push_back({path + "." + name, "data_stores.plan_amount_malformed",
                          path + "." + name + " must be a number from 0 on, or -1 for no limit"});
}

void check_part(const sdk::Json& fields, const char* name, sdk::Violations& violations) {
    const auto part = fields.find(name);
    if (part == fields.end() || !part->is_object()) return;
    const auto unit = part->find("unit");
    const bool has_unit = unit != part->end() && !unit->is_null();
    if (has_unit && !unit_bytes(sdk::text_member(*part, "unit"))) {
        const std::string path = std::string(name) + ".unit";
        violations.push_back(
            {path, "data_stores.plan_unit_unknown", path + " must be one of B, KB, MB, GB, TB"});
    }
    for (const char* amount : {"allowance", "max", "price"})
        check_amount(name, *part, amount, violations);
}

sdk::Result<void> check_unused(const sdk::Change& change, sdk::Context& context) {
    const std::string key = sdk::text_member(change.before->fields, "planKey");
    if (change.after && sdk::text_member(change.after->fields, "planKey") == key) return {};
    const sdk::CollectionName tenants{kTenantType, change.collection.container,
                                      change.collection.container_key};
    sdk::PageRequest none;
    none.limit = 0;
    auto users = context.documents().query(tenants, {{"planKey", key}}, none);
    if (!users) {
        // The registrar goes, and its tenants with it.
        const bool is_gone = sdk::is_missing(users.error());
        return is_gone ? sdk::Result<void>() : users.error();
    }
    if (users->total_rows == 0) return {};
    return sdk::make_error(
        sdk::ErrorKind::conflict, "data_stores.plan_in_use",
        "tenants have the plan " + key + "; it can be neither removed nor named differently");
}

}  // namespace

std::optional<std::int64_t> unit_bytes(std::string_view unit) {
    static constexpr std::array<std::string_view, 5> kUnits{"B", "KB", "MB", "GB", "TB"};
    std::string upper(unit);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::int64_t bytes = 1;
    for (const std::string_view known : kUnits) {
        if (upper == known) return bytes;
        bytes *= 1024;
    }
    return std::nullopt;
}

sdk::ResourceDescriptor Plan::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "planKey", .kind = text, .required = true, .unique = true, .addresses = true},
        {.name = "requiresBilling", .kind = boolean, .default_json = "false"},
        {.name = "base", .kind = object},
        {.name = "storage", .kind = object},
        {.name = "transferOut", .kind = object},
        {.name = "subtenantAllowance", .kind = number},
        {.name = "capabilities"},
    };
    return {.type = kPlanType,
            .container = kRegistrarType,
            .path = "plans",
            .placeholder = "planId",
            .container_member = kRegistrarId,
            .fields = fields,
            .title = "plans"};
}

sdk::Result<void> Plan::prepare(sdk::Change& change, sdk::Context& context) {
    return change.before ? check_unused(change, context) : sdk::Result<void>();
}

void Plan::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (!change.after) return;
    const sdk::Json& fields = change.after->fields;
    const std::string key = sdk::text_member(fields, "planKey");
    if (key.empty() || key.size() > kMaxKeyLength || key.find('/') != std::string::npos) {
        violations.push_back({"planKey", "data_stores.plan_key_malformed",
                              "planKey must have 1 to 128 characters and no slash"});
    }
    for (const char* part : kMeteredParts)
        check_part(fields, part, violations);
    const auto base = fields.find("base");
    if (base != fields.end() && base->is_object()) check_amount("base", *base, "price", violations);
}

}  // namespace stele::data_stores
