#include "kernel/resource/record/record_fields.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

namespace {

using sdk::FieldKind;
using sdk::Json;

sdk::ResourceDescriptor family_with(sdk::Field field) {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = "thing";
    descriptor.fields = {std::move(field)};
    return descriptor;
}

/// Paths of what is wrong with a value of the field, with blanks between; empty when it is taken.
std::string wrong_in(const sdk::Field& field, const Json& value) {
    const auto decoded = decode_create(family_with(field), {{field.name, value}});
    if (decoded) {
        CHECK(decoded->fields.at(field.name) == value);
        return {};
    }
    CHECK(decoded.error().kind == sdk::ErrorKind::invalid);
    std::string paths;
    for (const sdk::Violation& violation : decoded.error().violations) {
        CHECK(violation.code == "field.kind_wrong");
        paths += (paths.empty() ? "" : " ") + violation.path;
    }
    return paths;
}

Json one_of_each() {
    return Json::parse(R"(["text", 7, 1.5, true, {"ms": 1}, ["in"]])");
}

/// Which of `one_of_each` a kind takes.
std::string fitting(FieldKind kind) {
    switch (kind) {
        case FieldKind::any:
            return "012345";
        case FieldKind::text:
            return "0";
        case FieldKind::integer:
            return "1";
        case FieldKind::number:
            return "12";
        case FieldKind::boolean:
            return "3";
        case FieldKind::object:
            return "4";
        case FieldKind::array:
            return "5";
        case FieldKind::timestamp:
            return "124";
    }
    return {};
}

constexpr FieldKind kEveryKind[]{FieldKind::any,    FieldKind::text,     FieldKind::integer,
                                 FieldKind::number, FieldKind::boolean,  FieldKind::object,
                                 FieldKind::array,  FieldKind::timestamp};

}  // namespace

TEST_CASE("a declared field takes values of its kind, and null, which stands for none") {
    const Json values = one_of_each();
    for (const FieldKind kind : kEveryKind) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            INFO("kind " << static_cast<int>(kind) << ", value " << values[i].dump());
            const bool is_fit = fitting(kind).find(std::to_string(i)) != std::string::npos;
            CHECK(wrong_in({.name = "f", .kind = kind}, values[i]) == (is_fit ? "" : "f"));
        }
        CHECK(wrong_in({.name = "f", .kind = kind}, nullptr).empty());
    }
}

TEST_CASE("a declared array takes elements of its kind, and no null among them") {
    const Json values = one_of_each();
    for (const FieldKind kind : kEveryKind) {
        const sdk::Field field{.name = "f", .kind = FieldKind::array, .items = kind};
        INFO("elements of kind " << static_cast<int>(kind));
        for (std::size_t i = 0; i < values.size(); ++i) {
            INFO("element " << values[i].dump());
            const bool is_fit = fitting(kind).find(std::to_string(i)) != std::string::npos;
            CHECK(wrong_in(field, Json::array({values[i]})) == (is_fit ? "" : "f.0"));
        }
        CHECK(wrong_in(field, Json::array()).empty());
        CHECK(wrong_in(field, Json::array({nullptr})) == "f.0");
    }
    const sdk::Field texts{.name = "f", .kind = FieldKind::array, .items = FieldKind::text};
    CHECK(wrong_in(texts, Json::array({"a", nullptr, "b", 7})) == "f.1 f.3");
}

TEST_CASE("an integer as text is taken where the field says so, as far as 64 bits go") {
    const sdk::Field plain{.name = "f", .kind = FieldKind::integer};
    const sdk::Field field{.name = "f", .kind = FieldKind::integer, .numeric_text = true};
    for (const char* text : {"0", "-1", "9223372036854775807", "-9223372036854775808"}) {
        INFO(text);
        const auto decoded = decode_create(family_with(field), {{"f", text}});
        REQUIRE(decoded.has_value());
        // Kept as the number (docs/specification/rulings.md 34).
        CHECK(decoded->fields.at("f") == Json::parse(text));
        CHECK(wrong_in(plain, text) == "f");
    }
    for (const char* text : {"", " 1", "1 ", "1.0", "+1", "x", "9223372036854775808"}) {
        INFO(text);
        CHECK(wrong_in(field, text) == "f");
    }
}

}  // namespace stele::kernel::resource
