#include "kernel/resource/record/record_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/record/body_bounds.hpp"

namespace stele::kernel::resource {

namespace {

/// Members that only the server writes, whatever the resource (docs/specification/platform.md 1.2).
constexpr std::array<std::string_view, 8> kReserved{"_doc", "_system", "_ref",   "_groups",
                                                    "ok",   "error",   "_paths", "_statistics"};

/// Every member that begins with an underscore belongs to the server, unless the family declares
/// it; of records with a space the family decides itself (docs/specification/semantics.md 0.1).
bool is_of_server(const sdk::ResourceDescriptor& descriptor, std::string_view name) {
    if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) return true;
    if (descriptor.has_space || name.empty() || name.front() != '_') return false;
    return std::none_of(descriptor.fields.begin(), descriptor.fields.end(),
                        [name](const sdk::Field& field) { return field.name == name; });
}

std::optional<std::int64_t> integer_in(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_integer = problem == std::errc() && end == text.data() + text.size();
    return is_integer && !text.empty() ? std::optional(number) : std::nullopt;
}

/// Some clients send numbers as text (docs/specification/rulings.md 34).
void read_numeric_text(const sdk::Field& field, sdk::Json& value) {
    if (!field.numeric_text || field.kind == sdk::FieldKind::text || !value.is_string()) return;
    if (const auto number = integer_in(value.get_ref<const std::string&>())) value = *number;
}

std::string_view kind_name(const sdk::Field& field, sdk::FieldKind kind) {
    using enum sdk::FieldKind;
    if (field.numeric_text) return kind == number ? "a number" : "an integer";
    switch (kind) {
        case any:
            return "any value";
        case text:
            return "a string";
        case integer:
            return "an integer";
        case number:
            return "a number";
        case boolean:
            return "true or false";
        case object:
            return "an object";
        case array:
            return "an array";
        case timestamp:
            return "a time: an object with ms, or milliseconds";
    }
    return "a value";
}

bool fits(const sdk::Field& field, sdk::FieldKind kind, const sdk::Json& value) {
    using enum sdk::FieldKind;
    if (value.is_null()) return true;
    if (field.numeric_text && value.is_string())
        return integer_in(value.get_ref<const std::string&>()).has_value();
    if (field.numeric_text && value.is_number_integer()) return true;
    switch (kind) {
        case any:
            return true;
        case text:
            return value.is_string();
        case integer:
            return value.is_number_integer();
        case number:
            return value.is_number();
        case boolean:
            return value.is_boolean();
        case object:
            return value.is_object();
        case array:
            return value.is_array();
        case timestamp:
            return value.is_number() || value.is_object();
    }
    return false;
}

/// Of millions of wrong elements the first few say it all.
constexpr std::size_t kMaxTold = 100;

bool is_allowed(const sdk::Field& field, const sdk::Json& value) {
    if (field.one_of.empty() || !value.is_string()) return true;
    const auto& text = value.get_ref<const std::string&>();
    return std::find(field.one_of.begin(), field.one_of.end(), text) != field.one_of.end();
}

void check_value(const sdk::Field& field, const sdk::Json& value, sdk::Violations& violations) {
    if (!fits(field, field.kind, value)) {
        violations.push_back(
            {field.name, "field.kind_wrong",
             fmt::format("{} must be {}", field.name, kind_name(field, field.kind))});
        return;
    }
    if (!is_allowed(field, value)) {
        violations.push_back(
            {field.name, "field.value_unknown",
             fmt::format("{} must be one of {}", field.name, fmt::join(field.one_of, ", "))});
    }
    if (field.kind != sdk::FieldKind::array || !value.is_array()) return;
    for (std::size_t i = 0; i < value.size() && violations.size() < kMaxTold; ++i) {
        if (value[i].is_null() || !fits(field, field.items, value[i])) {
            violations.push_back(
                {fmt::format("{}.{}", field.name, i), "field.kind_wrong",
                 fmt::format("{}.{} must be {}", field.name, i, kind_name(field, field.items))});
        }
    }
}

void check_fields(const sdk::ResourceDescriptor& descriptor, const DecodedFields& decoded,
                  sdk::Violations& violations) {
    for (const sdk::Field& field : descriptor.fields) {
        const sdk::Json& from = field.secret ? decoded.secrets : decoded.fields;
        const auto value = from.find(field.name);
        const bool is_missing = value == from.end() || value->is_null();
        if (field.required && is_missing) {
            violations.push_back(
                {field.name, "field.missing", fmt::format("{} is required", field.name)});
        }
        if (!is_missing && !field.read_only) check_value(field, *value, violations);
    }
}

/// Takes reserved members out and moves secrets over.
sdk::Result<DecodedFields> split(const sdk::ResourceDescriptor& descriptor, sdk::Json body) {
    if (!body.is_object()) {
        return sdk::make_error({{"body", "body.not_an_object", "the body must be a JSON object"}});
    }
    DecodedFields decoded{sdk::Json::object(), sdk::Json::object(), sdk::text_member(body, "_doc")};
    sdk::reserve_members(decoded.fields, body.size());
    for (auto& [name, value] : body.items()) {
        if (is_of_server(descriptor, name)) continue;
        if (name == descriptor.container_member || name == "platformId") continue;
        const auto field =
            std::find_if(descriptor.fields.begin(), descriptor.fields.end(),
                         [&name = name](const sdk::Field& f) { return f.name == name; });
        if (field != descriptor.fields.end() && field->read_only) continue;
        if (field != descriptor.fields.end()) read_numeric_text(*field, value);
        const bool is_secret = field != descriptor.fields.end() && field->secret;
        append_member(is_secret ? decoded.secrets : decoded.fields, name, std::move(value));
    }
    return decoded;
}

sdk::Result<DecodedFields> checked(const sdk::ResourceDescriptor& descriptor,
                                   DecodedFields decoded) {
    // Before a hook makes anything of them.
    for (const sdk::Json* members : {&decoded.fields, &decoded.secrets}) {
        if (auto named = check_names(*members); !named) return named.error();
    }
    sdk::Violations violations;
    check_fields(descriptor, decoded, violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return decoded;
}

}  // namespace

void append_member(sdk::Json& object, const std::string& name, sdk::Json value) {
    object.get_ref<sdk::Json::object_t&>().emplace_back(name, std::move(value));
}

sdk::Result<DecodedFields> decode_create(const sdk::ResourceDescriptor& descriptor,
                                         sdk::Json body) {
    auto decoded = split(descriptor, std::move(body));
    if (!decoded) return decoded;
    for (const sdk::Field& field : descriptor.fields) {
        if (field.default_json.empty()) continue;
        sdk::Json& target = field.secret ? decoded->secrets : decoded->fields;
        if (target.contains(field.name)) continue;
        auto value = sdk::parse_json(field.default_json);
        if (!value) return value.error();
        target[field.name] = std::move(*value);
    }
    const std::string& id = decoded->wanted_id;
    if (id.size() > 128 || id.find_first_of("/\\?#") != std::string::npos) {
        return sdk::make_error({{"_doc", "field.value_unknown",
                                 "_doc must have at most 128 characters and none of / \\ ? #"}});
    }
    return checked(descriptor, std::move(*decoded));
}

void keep_member(const sdk::Json& before, sdk::Json& after, const std::string& name) {
    const auto old = before.find(name);
    if (old == before.end()) {
        after.erase(name);
    } else {
        after[name] = *old;
    }
}

namespace {

/// After the checks: what an update says of such a field is checked, and then has no effect.
void keep_immutable(const sdk::ResourceDescriptor& descriptor, const sdk::Json& before,
                    sdk::Json& after) {
    for (const sdk::Field& field : descriptor.fields) {
        if (field.immutable) keep_member(before, after, field.name);
    }
}

}  // namespace

sdk::Result<DecodedFields> decode_update(const sdk::ResourceDescriptor& descriptor, sdk::Json body,
                                         const sdk::Document& before) {
    auto decoded = split(descriptor, std::move(body));
    if (!decoded) return decoded;
    for (const sdk::Field& field : descriptor.fields) {
        if (field.secret) {
            const auto old = before.secrets.find(field.name);
            if (old != before.secrets.end() && !decoded->secrets.contains(field.name)) {
                decoded->secrets[field.name] = *old;
            }
        } else if (field.read_only) {
            const auto old = before.fields.find(field.name);
            if (old != before.fields.end()) decoded->fields[field.name] = *old;
        }
    }
    // What plugins keep beside the declared secrets (a password's hash) outlives every update.
    for (const auto& [name, value] : before.secrets.items()) {
        const bool is_declared =
            std::any_of(descriptor.fields.begin(), descriptor.fields.end(),
                        [&name = name](const sdk::Field& field) { return field.name == name; });
        if (!is_declared) decoded->secrets[name] = value;
    }
    auto after = checked(descriptor, std::move(*decoded));
    if (after) keep_immutable(descriptor, before.fields, after->fields);
    return after;
}

namespace {

/// As deep as what comes from outside may be: such a record can be sent back.
constexpr int kMaxDepth = sdk::JsonLimits{}.depth;

enum class Extent { fine, deep, wide };

/// Whether something in the value lies deeper than so many arrays and objects, or an object has too
/// many members.
Extent extent_of(const sdk::Json& value, int depth) {
    if (!value.is_structured()) return Extent::fine;
    if (depth == 0) return Extent::deep;
    if (value.is_object() && value.size() > kMaxMembers) return Extent::wide;
    for (const sdk::Json& inner : value) {
        const Extent extent = extent_of(inner, depth - 1);
        if (extent != Extent::fine) return extent;
    }
    return Extent::fine;
}

/// What the server adds to the members of a body.
constexpr std::size_t kMaxOfServer = 64;

sdk::Result<void> check_shape(const sdk::Json& fields) {
    if (fields.size() > kMaxMembers + kMaxOfServer) return sdk::make_error({too_many_members("")});
    for (const auto& [name, value] : fields.items()) {
        const Extent extent = extent_of(value, kMaxDepth - 1);
        if (extent == Extent::wide && name != "_system")
            return sdk::make_error({too_many_members(name)});
        if (extent != Extent::deep) continue;
        return sdk::make_error(
            {{name, "field.nesting_deep",
              fmt::format("{} is nested deeper than {} arrays and objects", name, kMaxDepth)}});
    }
    return check_names(fields);
}

sdk::Error broken_by_hook(const sdk::ResourceDescriptor& descriptor, const std::string& problem) {
    return sdk::make_error(
        sdk::ErrorKind::internal, "resource.hook_broke_record",
        "the server failed; the request id leads to its log",
        fmt::format("a hook of {} made a record whose {}", descriptor.type, problem));
}

}  // namespace

sdk::Result<void> check_hooked(const sdk::ResourceDescriptor& descriptor,
                               const sdk::Document& after) {
    if (!after.fields.is_object() || !after.secrets.is_object())
        return broken_by_hook(descriptor, "fields are no object");
    const auto id = after.fields.find("_doc");
    if (id == after.fields.end() || *id != after.id)
        return broken_by_hook(descriptor, "_doc is not its id");
    sdk::Violations violations;
    for (const sdk::Field& field : descriptor.fields) {
        const sdk::Json& from = field.secret ? after.secrets : after.fields;
        const auto value = from.find(field.name);
        if (value != from.end() && !value->is_null()) check_value(field, *value, violations);
    }
    if (!violations.empty()) return broken_by_hook(descriptor, violations.front().message);
    if (auto shaped = check_shape(after.fields); !shaped) return shaped;
    if (extent_of(after.secrets, kMaxDepth) == Extent::deep)
        return broken_by_hook(descriptor, "secrets are nested too deep");
    return {};
}

namespace {

/// With those that families add.
constexpr std::size_t kMaxSystemMembers = 16;

void add_actor(sdk::Json& system, const std::string& verb, const sdk::Principal& principal) {
    system[verb + "_by"] = principal.name;
    system[verb + "_by_principal_id"] = principal.id;
    system[verb + "_by_principal_domain_id"] = principal.domain_id;
}

}  // namespace

sdk::Json system_member(const sdk::Session& session, const sdk::Json* before, std::int64_t now) {
    sdk::Json system = sdk::Json::object();
    sdk::reserve_members(system, kMaxSystemMembers);
    sdk::Json time = sdk::time_value(now);
    if (before && before->is_object() && before->contains("created_on")) {
        for (const char* name : {"created_on", "created_by", "created_by_principal_id",
                                 "created_by_principal_domain_id"}) {
            const auto member = before->find(name);
            if (member != before->end()) system[name] = *member;
        }
    } else {
        system["created_on"] = time;
        add_actor(system, "created", session.principal);
    }
    system["modified_on"] = std::move(time);
    add_actor(system, "modified", session.principal);
    return system;
}

sdk::Result<sdk::Document> document_of(const storage::Record& record, sdk::Json secrets) {
    sdk::Document document;
    document.key = record.key();
    document.version = record.version();
    auto fields = sdk::parse_json(record.text(), {.depth = 200});
    if (!fields) {
        return sdk::make_error(
            sdk::ErrorKind::internal, "document.damaged", "a stored record cannot be read",
            storage::sequence_text(record.sequence) + ": " + fields.error().message);
    }
    document.fields = std::move(*fields);
    document.id = sdk::text_member(document.fields, "_doc");
    document.secrets = std::move(secrets);
    return document;
}

std::string id_of(const storage::Record& record) {
    static constexpr std::string_view kStart = R"({"_doc":")";
    const std::string_view text = record.text();
    if (text.substr(0, kStart.size()) == kStart) {
        const auto* const begin = text.begin() + kStart.size();
        const auto* const end =
            std::find_if(begin, text.end(), [](char c) { return c == '"' || c == '\\'; });
        if (end != text.end() && *end == '"') return std::string(begin, end);
    }
    auto fields = sdk::parse_json(text, {.depth = 200});
    return fields ? sdk::text_member(*fields, "_doc") : std::string();
}

}  // namespace stele::kernel::resource
