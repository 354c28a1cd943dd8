#include "kernel/resource/registry/descriptor_check.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/json.hpp>

#include "kernel/resource/registry/registry.hpp"
#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error incomplete(const std::string& plugin_id, const std::string& what,
                      const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                           fmt::format("plugin {}: {}: {}", plugin_id, what, problem));
}

bool is_known_method(const std::string& method) {
    static constexpr std::array<std::string_view, 5> kMethods{"GET", "POST", "PUT", "PATCH",
                                                              "DELETE"};
    return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

bool has_balanced_placeholders(std::string_view path) {
    bool is_open = false;
    for (char c : path) {
        if (c == '{' && is_open) return false;
        if (c == '}' && !is_open) return false;
        if (c == '{') is_open = true;
        if (c == '}') is_open = false;
    }
    return !is_open;
}

bool is_reserved(std::string_view name) {
    static constexpr std::array<std::string_view, 4> kReserved{"_doc", "_system", "_ref",
                                                               "_groups"};
    return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::string field_problem(const sdk::Field& field) {
    if (field.name.empty()) return "a field has no name";
    // What the server keeps there may be left out of the indexes, no more.
    const bool is_of_system = field.name.starts_with("_system.") && !field.unindexed;
    if (is_of_system || is_reserved(field.name))
        return "fields of the system cannot be declared: " + field.name;
    if (field.secret && (field.unique || field.addresses)) {
        return "secret field " + field.name + " cannot be unique or address records";
    }
    if (field.secret && field.immutable) return "secret field " + field.name + " cannot be kept";
    const auto shared = storage::sharing_paths();
    const bool is_shared =
        field.unindexed && std::any_of(shared.begin(), shared.end(), [&](const std::string& path) {
            return storage::is_covered_by(path, {field.name});
        });
    if (is_shared) return "field " + field.name + " is unindexed but shares entries with others";
    if (field.unindexed && (field.unique || field.addresses)) {
        return "field " + field.name + " is unindexed but must be found by its value";
    }
    if (!field.default_json.empty() && !sdk::parse_json(field.default_json)) {
        return "default of field " + field.name + " is no JSON";
    }
    return {};
}

std::string action_problem(const sdk::Action& action) {
    if (!is_known_method(action.method)) {
        return "action " + action.name + ": unknown method " + action.method;
    }
    if (!action.run) return "action " + action.name + " has no run";
    if (action.urgent && action.streamed_body) {
        return "action " + action.name + " takes uploads and cannot be urgent";
    }
    if (!has_balanced_placeholders(action.name)) return "action " + action.name + ": broken braces";
    return {};
}

/// What the path says of a record nothing else may say.
std::string part_problem(const sdk::ResourceDescriptor& descriptor) {
    if (!has_balanced_placeholders(descriptor.path)) return "path: broken braces";
    for (const std::string& alias : descriptor.path_aliases) {
        if (alias.find_first_of("{}") != std::string::npos)
            return "a path alias has a placeholder: " + alias;
    }
    const std::vector<std::string> members = placeholders_of(descriptor.path);
    if (!members.empty() && (descriptor.has_space || !descriptor.path_aliases.empty()))
        return "a path with placeholders goes with neither a space nor path aliases";
    for (const std::string& member : members) {
        const bool is_declared = std::any_of(
            descriptor.fields.begin(), descriptor.fields.end(), [&](const sdk::Field& field) {
                return field.name == member && field.read_only &&
                       field.kind == sdk::FieldKind::text && !field.secret;
            });
        if (!is_declared)
            return "the placeholder " + member + " of the path must be a read-only text field";
    }
    return {};
}

std::string path_problem(const sdk::ResourceDescriptor& descriptor) {
    if (descriptor.path.empty()) return "path is missing";
    std::vector<std::string> paths = descriptor.path_aliases;
    paths.insert(paths.begin(), descriptor.path);
    std::set<std::string> known;
    for (const std::string& path : paths) {
        if (path.empty()) return "a path alias is empty";
        if (path.front() == '/' || path.back() == '/') {
            return "path must not begin or end with a slash: " + path;
        }
        if (!known.insert(path).second) return "path alias " + path + " is there already";
    }
    return part_problem(descriptor);
}

/// What lies in a space is reached by the family only, so whatever works on the store as it is
/// would pass it by.
std::string space_problem(const sdk::ResourceDescriptor& descriptor) {
    if (!descriptor.has_space) return {};
    if (descriptor.container == "platform") return "a space must lie in a record, not the platform";
    if (!descriptor.composite_indexes.empty()) return "a space has no composite indexes";
    if (descriptor.capabilities.teams || descriptor.capabilities.roles) {
        return "records in a space have neither teams nor roles of their own";
    }
    for (const sdk::Field& field : descriptor.fields) {
        if (field.secret) return "a space keeps no secrets: field " + field.name;
    }
    return {};
}

std::string operation_problem(const sdk::ResourceDescriptor& descriptor) {
    const sdk::Creating& creating = descriptor.creating;
    if (creating.takes_forms && creating.most == 0)
        return "a create that takes forms says how many records it makes";
    for (const std::string& alias : descriptor.querying.aliases) {
        if (alias.empty() || alias.front() == '/' || alias.back() == '/' ||
            alias.find_first_of("{}") != std::string::npos)
            return "a query alias is no path: " + alias;
    }
    for (const sdk::Action& action : descriptor.actions) {
        if (std::string problem = action_problem(action); !problem.empty()) return problem;
    }
    return {};
}

std::string member_problem(const sdk::ResourceDescriptor& descriptor) {
    if (descriptor.container.empty()) return "container is missing";
    if (std::string problem = path_problem(descriptor); !problem.empty()) return problem;
    if (std::string problem = space_problem(descriptor); !problem.empty()) return problem;
    if (descriptor.placeholder.empty()) return "placeholder is missing";
    std::set<std::string> names;
    for (const sdk::Field& field : descriptor.fields) {
        if (std::string problem = field_problem(field); !problem.empty()) return problem;
        if (!names.insert(field.name).second) return "field " + field.name + " is declared twice";
    }
    if (descriptor.capabilities.data_store) {
        if (descriptor.container != "platform") return "a data store must lie on the platform";
        for (const sdk::Field& field : sdk::data_store_fields()) {
            if (names.contains(field.name)) return "every data store has the field " + field.name;
        }
    }
    if (std::string problem = operation_problem(descriptor); !problem.empty()) return problem;
    for (const sdk::DefaultGrant& grant : descriptor.default_grants) {
        if (grant.role_key.empty()) return "a default grant has no role";
    }
    for (const sdk::CompositeIndex& index : descriptor.composite_indexes) {
        if (index.size() < 2) return "a composite index needs two fields or more";
    }
    return {};
}

}  // namespace

sdk::Result<void> check_descriptor(const std::string& plugin_id,
                                   const sdk::ResourceDescriptor& descriptor) {
    if (descriptor.type.empty()) return incomplete(plugin_id, "a resource", "type is missing");
    const std::string problem = member_problem(descriptor);
    if (!problem.empty()) return incomplete(plugin_id, "resource " + descriptor.type, problem);
    return {};
}

sdk::Result<void> check_endpoint(const std::string& plugin_id, const std::string& method,
                                 const std::vector<std::string>& paths, bool has_run) {
    const std::string what = fmt::format("endpoint {} {}", method, paths.front());
    if (!is_known_method(method)) return incomplete(plugin_id, what, "unknown method");
    for (const std::string& path : paths) {
        if (path.empty() || path.front() != '/')
            return incomplete(plugin_id, what, "path must begin with a slash");
        if (!has_balanced_placeholders(path)) return incomplete(plugin_id, what, "broken braces");
        if (placeholders_of(path) != placeholders_of(paths.front()))
            return incomplete(plugin_id, what, "another path has other placeholders");
    }
    if (!has_run) return incomplete(plugin_id, what, "run is missing");
    return {};
}

}  // namespace stele::kernel::resource
