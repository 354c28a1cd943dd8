#include "kernel/resource/description/operation_id.hpp"

#include <string_view>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

#include "kernel/resource/operations/standard_operations.hpp"
#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

namespace {

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// `readAcl` of `read ACL`; what is between braces is left out.
std::string camel(std::string_view words, bool begins_upper = false) {
    std::string name;
    bool begins = begins_upper;
    bool is_inside = false;
    for (const char c : words) {
        if (c == '{' || c == '}') is_inside = c == '{';
        if (is_inside || !sdk::is_letter_or_digit(c)) {
            begins = !name.empty() || begins_upper;
            continue;
        }
        name += begins ? upper(c) : c;
        begins = false;
    }
    return name;
}

/// Of the titles of standard operations, which are words, some of them abbreviations.
std::string standard_name(const StandardOperation& operation) {
    return camel(sdk::lower_case(operation.title));
}

/// What an action does that stands where a standard operation was switched off.
std::string replaced_name(const Route& route) {
    const bool is_item = route.is_item;
    if (route.method == "GET") return is_item ? "read" : "list";
    if (route.method == "POST") return is_item ? "act" : "create";
    if (route.method == "PUT") return "update";
    return sdk::lower_case(route.method);
}

std::string with_method(const Route& route, std::string_view words) {
    if (route.method == "POST") return camel(words);
    return sdk::lower_case(route.method) + camel(words, true);
}

std::string own_name(const Route& route) {
    if (route.standard) return standard_name(*route.standard);
    const bool is_endpoint = route.guard == Guard::platform && !route.resource;
    if (is_endpoint) return with_method(route, route.path.empty() ? "/root" : route.path);
    if (route.operation == route.method) return replaced_name(route);
    return with_method(route, route.operation);
}

std::string by_placeholders(const Route& route) {
    std::string words;
    for (const std::string& name : route.placeholders) {
        const bool is_of_record = route.resource && route.resource->instance_path.find(
                                                        "{" + name + "}") != std::string::npos;
        if (!is_of_record) words += (words.empty() ? "By" : "And") + camel(name, true);
    }
    return words;
}

}  // namespace

std::string family_title(const Route& route) {
    if (!route.resource) return route.plugin_id;
    const sdk::ResourceDescriptor& descriptor = route.resource->descriptor;
    return descriptor.title.empty() ? descriptor.path : descriptor.title;
}

std::string OperationIds::take(const Route& route) {
    const std::string name = camel(family_title(route)) + "." + own_name(route);
    const std::string longer = name + by_placeholders(route);
    for (const std::string& wish :
         {name, longer, longer + "By" + camel(sdk::lower_case(route.method), true)}) {
        if (taken_.insert(wish).second) return wish;
    }
    std::string numbered;
    for (int number = 2; !taken_.insert(numbered = longer + std::to_string(number)).second;)
        ++number;
    return numbered;
}

}  // namespace stele::kernel::resource
