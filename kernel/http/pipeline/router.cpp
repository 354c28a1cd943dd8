#include "kernel/http/pipeline/router.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace stele::kernel::http {

namespace {

constexpr std::size_t kMethods = static_cast<std::size_t>(Method::other);
/// No route is nearly as long; a longer path is unknown without a look at the tree.
constexpr std::size_t kMaxSegments = 32;

constexpr std::array<std::string_view, kMethods> kMethodNames{"GET",   "HEAD",   "POST",   "PUT",
                                                              "PATCH", "DELETE", "OPTIONS"};

std::size_t index_of(Method method) {
    return static_cast<std::size_t>(method);
}

/// Cuts a path into segments. False when a segment is empty or there are too many.
bool split(std::string_view path, std::array<std::string_view, kMaxSegments>& segments,
           std::size_t& count) {
    count = 0;
    if (path.empty() || path == "/") return true;
    if (path.front() != '/') return false;
    path.remove_prefix(1);
    if (path.back() == '/') path.remove_suffix(1);
    for (;;) {
        const std::size_t slash = path.find('/');
        const std::string_view segment = path.substr(0, slash);
        if (segment.empty() || count == kMaxSegments) return false;
        segments[count++] = segment;
        if (slash == std::string_view::npos) return true;
        path.remove_prefix(slash + 1);
    }
}

/// Whether decoding leaves the path as it is.
bool is_plain(std::string_view path) {
    return std::none_of(path.begin(), path.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '%' || byte == 0 || byte >= 0x80;
    });
}

bool is_placeholder(std::string_view segment) {
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}' &&
           segment.substr(1, segment.size() - 2).find_first_of("{}") == std::string_view::npos;
}

bool is_literal(std::string_view segment) {
    return segment.find_first_of("{}%?#") == std::string_view::npos;
}

}  // namespace

struct Router::Node {
    /// Sorted, for a binary search without allocation: by length first, which says most.
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;
    std::unique_ptr<Node> placeholder;
    std::array<std::optional<RouteTarget>, kMethods> targets;

    Node* literal(std::string_view name) const {
        const auto at = position_of(name);
        return at != literals.end() && at->first == name ? at->second.get() : nullptr;
    }
    Node& make_literal(std::string_view name) {
        if (Node* present = literal(name)) return *present;
        const auto at = literals.begin() + (position_of(name) - literals.cbegin());
        return *literals.emplace(at, name, std::make_unique<Node>())->second;
    }
    Node& make_placeholder() {
        if (!placeholder) placeholder = std::make_unique<Node>();
        return *placeholder;
    }
    std::optional<RouteTarget> target_of(Method method) const {
        if (method == Method::other) return std::nullopt;
        if (method == Method::head && !targets[index_of(Method::head)]) {
            return targets[index_of(Method::get)];
        }
        return targets[index_of(method)];
    }

private:
    decltype(literals)::const_iterator position_of(std::string_view name) const {
        return std::lower_bound(
            literals.begin(), literals.end(), name, [](const auto& entry, std::string_view wanted) {
                const std::string_view present = entry.first;
                return present.size() != wanted.size() ? present.size() < wanted.size()
                                                       : present < wanted;
            });
    }
};

namespace {

/// One search. Branches that end without a target are remembered for the answer 405.
template <class Node>
class Search {
public:
    Search(Method method, const std::string_view* segments, std::size_t count)
        : method_(method), segments_(segments), count_(count) {}

    /// Literals first; a placeholder further up takes over when a literal leads nowhere, also when
    /// the literal path lacks only the method (`POST /users/query`, `GET /users/{id}`).
    bool walk(const Node& node, std::size_t depth) {
        if (depth == count_) return arrive(node);
        const std::string_view segment = segments_[depth];
        if (const Node* next = node.literal(segment); next && walk(*next, depth + 1)) return true;
        if (!node.placeholder) return false;
        values_[value_count_++] = segment;
        if (walk(*node.placeholder, depth + 1)) return true;
        --value_count_;
        return false;
    }

    RouteTarget target() const { return target_; }
    const std::array<bool, kMethods>& methods() const { return methods_; }

    void copy_values(std::vector<std::string>& values) const {
        values.resize(value_count_);
        for (std::size_t i = 0; i < value_count_; ++i)
            values[i].assign(values_[i]);
    }

private:
    bool arrive(const Node& node) {
        if (const auto target = node.target_of(method_)) {
            target_ = *target;
            return true;
        }
        for (std::size_t i = 0; i < kMethods; ++i) {
            methods_[i] = methods_[i] || node.target_of(static_cast<Method>(i)).has_value();
        }
        return false;
    }

    Method method_;
    const std::string_view* segments_;
    std::size_t count_;
    std::array<std::string_view, kMaxSegments> values_;
    std::size_t value_count_ = 0;
    std::array<bool, kMethods> methods_{};
    RouteTarget target_ = 0;
};

void join_methods(const std::array<bool, kMethods>& methods, std::string& allowed) {
    for (std::size_t i = 0; i < kMethods; ++i) {
        if (!methods[i]) continue;
        if (!allowed.empty()) allowed += ", ";
        allowed += kMethodNames[i];
    }
}

}  // namespace

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;

sdk::Result<void> Router::add(Method method, std::string_view path, RouteTarget target) {
    std::array<std::string_view, kMaxSegments> segments;
    std::size_t count = 0;
    const bool is_sound = method != Method::other && !path.empty() && path.front() == '/' &&
                          split(path, segments, count);
    Node* node = root_.get();
    for (std::size_t i = 0; is_sound && node && i < count; ++i) {
        if (is_placeholder(segments[i])) {
            node = &node->make_placeholder();
        } else {
            node = is_literal(segments[i]) ? &node->make_literal(segments[i]) : nullptr;
        }
    }
    if (!is_sound || !node) {
        return sdk::make_error(sdk::ErrorKind::invalid, "plugin.route_malformed",
                               "the route '" + std::string(path) + "' is not a valid path");
    }
    std::optional<RouteTarget>& slot = node->targets[index_of(method)];
    if (slot) {
        return sdk::make_error(sdk::ErrorKind::conflict, "plugin.route_duplicate",
                               "the route " + std::string(kMethodNames[index_of(method)]) + " " +
                                   std::string(path) + " is registered twice");
    }
    slot = target;
    return {};
}

void Router::find(Method method, std::string_view path, RouteMatch& match) const {
    match.allowed.clear();
    match.kind = RouteMatch::Kind::path_unknown;
    std::array<std::string_view, kMaxSegments> segments;
    std::size_t count = 0;
    const bool is_splittable = split(path, segments, count);
    std::vector<std::string> decoded;
    if (!is_plain(path)) {
        std::string whole;
        if (!percent_decode(path, whole)) {
            match.kind = RouteMatch::Kind::path_malformed;
            return;
        }
        decoded.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (!percent_decode(segments[i], decoded[i])) {
                match.kind = RouteMatch::Kind::path_malformed;
                return;
            }
            segments[i] = decoded[i];
        }
    }
    if (!is_splittable) return;

    Search<Node> search(method, segments.data(), count);
    if (search.walk(*root_, 0)) {
        match.kind = RouteMatch::Kind::found;
        match.target = search.target();
        search.copy_values(match.values);
        return;
    }
    join_methods(search.methods(), match.allowed);
    if (!match.allowed.empty()) match.kind = RouteMatch::Kind::method_unknown;
}

}  // namespace stele::kernel::http
