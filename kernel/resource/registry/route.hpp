#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

struct RegisteredResource;
struct StandardOperation;
class RoutedCall;

/// Answers a call that was found, authorized and decoded.
using Handler = std::function<sdk::Result<sdk::Reply>(RoutedCall&)>;

/// On what a caller needs the route's permission: the addressed record, the record around the
/// addressed collection, or the platform.
enum class Guard : std::uint8_t { record, container, platform };

/// One method at one path, and what it leads to.
struct Route {
    std::string method;
    std::string path;
    std::string plugin_id;
    std::string operation;
    const RegisteredResource* resource = nullptr;
    /// The row of the table of standard operations; null for what plugins and capabilities add.
    const StandardOperation* standard = nullptr;
    /// Null only where the pipeline answers by itself.
    Handler run;
    Guard guard = Guard::platform;
    sdk::Permission permission = sdk::Permission::connect;
    std::vector<sdk::Parameter> parameters;
    /// Names of the placeholders in path order.
    std::vector<std::string> placeholders;
    /// The path addresses one record, not a collection.
    bool is_item = false;
    bool is_paged = false;
    /// Runs on a worker, whatever the engine.
    bool is_slow = false;
    /// Needs no token.
    bool is_open = false;
    bool has_raw_body = false;
    /// A JSON body may be an array, too.
    bool takes_array = false;
    /// The body is read piece by piece; where it is a record, only a form is.
    bool has_streamed_body = false;
    /// Nevertheless decoded where it is JSON.
    bool may_have_json = false;
    /// Callers prove here who they are.
    bool checks_credentials = false;
    /// Goes on when the disk is full, with what the store holds back for it.
    bool is_urgent = false;
    sdk::BodyUse body = sdk::BodyUse::parameters;
    sdk::Bounds bounds;
    /// What the path names has a tag of its own, which the handler compares with `If-Match`.
    bool has_own_tag = false;
    sdk::Shape takes;
    sdk::Shape answers;
    /// The path of the same operation that the description shows; empty: this one.
    std::string alias_of;

    /// Whether the handler reads a body of such a type piece by piece.
    bool takes_pieces(std::string_view content_type) const;
    /// Whether the path is that of a record or lies below one, and the method may change something.
    bool may_change_record() const { return is_item && resource && method != "GET"; }
};

/// Names between braces, in order.
std::vector<std::string> placeholders_of(std::string_view path);

}  // namespace stele::kernel::resource
