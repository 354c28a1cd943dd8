#include "kernel/resource/operations/routed_call.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/entity_tag.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/placed_upload.hpp>

#include "kernel/pagination/page_parameters.hpp"
#include "kernel/resource/record/body_bounds.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

enum class BodyKind { json, text, other };

/// What a content type says, its parameters left out. Clients that send none send JSON mostly.
BodyKind body_kind(std::string_view content_type) {
    const std::string type = sdk::media_essence(content_type);
    if (type == "application/json" || type.ends_with("+json")) return BodyKind::json;
    return type.empty() || type == "text/plain" ? BodyKind::text : BodyKind::other;
}

constexpr std::string_view kSchedule = "schedule";

/// Where among the values of a path the record's id stands: behind those of the containers and of
/// the part.
std::size_t place_of_id(const RegisteredResource& family) {
    return family.chain.size() - 1 + family.part_members.size();
}

/// A body that came in one piece.
class HeldUpload final : public sdk::PlacedUpload {
public:
    explicit HeldUpload(std::string_view body) : body_(body), rest_(body) {}
    sdk::Result<void> read(std::string& piece) override {
        piece.assign(rest_.substr(0, kMaxAtOnce));
        rest_.remove_prefix(piece.size());
        return {};
    }
    std::uint64_t size() const override { return body_.size(); }
    sdk::Result<void> read_at(std::uint64_t offset, std::size_t limit, std::string& out) override {
        out = body_.substr(std::min<std::uint64_t>(offset, body_.size()), limit);
        return {};
    }

private:
    static constexpr std::size_t kMaxAtOnce = 64 * 1024;
    std::string_view body_;
    std::string_view rest_;
};

constexpr std::size_t kMaxKeptBytes = 64 * 1024;
/// What the last call of the thread read its record into, for the next one.
thread_local std::string kept_buffer;

}  // namespace

RoutedCall::RoutedCall(WorkContext& context, RequestInput& input)
    : context_(context), input_(input), record_key_(context.platform().root) {
    stored_.buffer().swap(kept_buffer);
}

RoutedCall::RoutedCall(WorkContext& context, RequestInput& input, CollectionPlace place)
    : RoutedCall(context, input) {
    path_ = std::make_shared<TargetPath>(TargetPath{std::move(place), {}});
}

RoutedCall::~RoutedCall() {
    if (stored_.buffer().capacity() <= kMaxKeptBytes) stored_.buffer().swap(kept_buffer);
}

sdk::Upload& RoutedCall::upload() const {
    if (!upload_) {
        upload_ = input_.open_upload ? input_.open_upload()
                                     : std::make_unique<HeldUpload>(input_.raw_body);
    }
    return *upload_;
}

std::string_view RoutedCall::path(std::string_view placeholder) const {
    const std::vector<std::string>& names = input_.route->placeholders;
    for (std::size_t i = 0; i < names.size() && i < input_.values.size(); ++i) {
        if (names[i] == placeholder) return input_.values[i];
    }
    return {};
}

std::optional<std::string> RoutedCall::query_parameter(std::string_view name) const {
    for (const auto& [key, value] : input_.parameters) {
        if (key == name) return value;
    }
    return std::nullopt;
}

std::optional<std::string> RoutedCall::parameter(std::string_view name) const {
    if (auto value = query_parameter(name)) return value;
    // A member of a record or a query must never be mistaken for a parameter.
    const Route& route = *input_.route;
    if (route.body != sdk::BodyUse::parameters || !input_.body.is_object()) return std::nullopt;
    const bool is_declared =
        std::any_of(route.parameters.begin(), route.parameters.end(),
                    [name](const sdk::Parameter& known) { return known.name == name; });
    if (!is_declared) return std::nullopt;
    const auto member = input_.body.find(name);
    if (member == input_.body.end() || member->is_null()) return std::nullopt;
    if (member->is_string()) return member->get<std::string>();
    if (member->is_primitive()) return sdk::dump_json(*member);
    return std::nullopt;
}

std::vector<std::string> RoutedCall::parameters(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [key, value] : input_.parameters) {
        if (key == name) values.push_back(value);
    }
    return values.empty() ? Call::parameters(name) : values;
}

std::vector<std::string> RoutedCall::parameter_names() const {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> known;
    for (const auto& [name, value] : input_.parameters) {
        if (known.insert(name).second) names.push_back(name);
    }
    return names;
}

const sdk::Document& RoutedCall::record() const {
    if (!document_) {
        if (stored_.sequence.empty()) return document_.emplace();
        auto opened = services().records.open(stored_);
        if (!opened) throw std::runtime_error(opened.error().detail);
        document_ = std::move(*opened);
    }
    return *document_;
}

sdk::RecordText RoutedCall::record_text() const {
    if (stored_.sequence.empty()) return {};
    return {id_of(stored_), stored_.version(), stored_.text()};
}

void RoutedCall::set_created(const sdk::Document& document) {
    const std::string& member = route().resource->descriptor.reference_type_member;
    created_ = {document.id,
                member.empty() ? std::string() : sdk::text_member(document.fields, member)};
}

sdk::Result<void> RoutedCall::find_target() {
    if (auto found = find_path(); !found) return found;
    if (!input_.route->resource || !input_.route->is_item) return {};
    const std::string& id = input_.values[place_of_id(*input_.route->resource)];
    auto found = services().records.read(context_.transaction(), place(), id, stored_, &space_);
    if (found) record_key_ = stored_.key();
    return found;
}

/// Only those are remembered that lead to a record inside others, and for whoever mostly reads: of
/// a writer every container must be read.
sdk::Result<void> RoutedCall::find_path() {
    const Route& route = *input_.route;
    const std::size_t depth = route.resource ? route.resource->chain.size() : 0;
    if (!route.is_item || depth <= 1 || input_.method != "GET") return find_unknown_path();
    const auto state = context_.transaction().state();
    if (!state) return find_unknown_path();
    const PathCache::Name name = {context_.platform().number, route.resource,
                                  std::span(input_.values).first(place_of_id(*route.resource))};
    if (auto known = services().paths.find(name, *state)) {
        path_ = std::move(known);
        is_path_remembered_ = true;
        return {};
    }
    auto found = find_unknown_path();
    if (found) services().paths.keep(name, *state, path_);
    return found;
}

sdk::Result<void> RoutedCall::find_unknown_path() {
    const auto path = std::make_shared<TargetPath>();
    path_ = path;
    is_path_remembered_ = false;
    return walk_path(*path, stored_);
}

sdk::Result<void> RoutedCall::walk_path(TargetPath& path, storage::Record& container) const {
    const sdk::PlatformScope& platform = context_.platform();
    path.place.container = platform.root;
    if (!input_.route->resource) return {};
    const sdk::Transaction& reader = context_.transaction();
    const Records& records = services().records;
    const auto& chain = input_.route->resource->chain;
    auto place = records.collection(reader, platform, *chain.front());
    for (std::size_t i = 1; place && i < chain.size(); ++i) {
        path.place = *std::move(place);
        auto found = records.read(reader, path.place, input_.values[i - 1], container);
        if (!found) return found;
        path.containers.push_back(container.key());
        place = records.collection_inside(reader, *chain[i], container);
    }
    if (!place) return place.error();
    path.place = *std::move(place);
    const auto& members = input_.route->resource->part_members;
    for (std::size_t i = 0; i < members.size(); ++i)
        path.place.part.emplace_back(members[i], input_.values[chain.size() - 1 + i]);
    return {};
}

sdk::Result<sdk::PermissionSet> RoutedCall::held(const sdk::RecordKey& record,
                                                 sdk::Permission enough) const {
    return services().authority_cache.permissions(context_.transaction(), context_.moment(),
                                                  context_.principal().key, record,
                                                  sdk::PermissionSet{enough});
}

sdk::Result<void> RoutedCall::require(const sdk::RecordKey& record, sdk::Permission permission,
                                      std::string_view type, std::string_view id) const {
    auto permissions = held(record, permission);
    if (!permissions) return permissions.error();
    if (permissions->has(permission)) return {};
    if (!permissions->has(sdk::Permission::connect)) {
        if (auto known = authorize_containers(); !known) return known;
        return unknown_record(type, id);
    }
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on {} {} is needed for this", sdk::permission_name(permission), type, id));
}

sdk::Result<bool> RoutedCall::is_held_around() const {
    if (stored_.sequence.empty()) return false;
    auto inside = services().authority_cache.inside_permissions(
        context_.transaction(), context_.moment(), context_.principal().key, place().container);
    if (!inside) return inside.error();
    return inside->has(input_.route->permission);
}

sdk::Result<void> RoutedCall::authorize_platform() const {
    auto permissions = held(context_.platform().root, sdk::Permission::connect);
    if (!permissions) return permissions.error();
    if (permissions->has(sdk::Permission::connect)) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "CONNECT on the platform is needed for this");
}

sdk::Result<void> RoutedCall::authorize_containers() const {
    if (is_unchecked()) return {};
    if (auto connected = authorize_platform(); !connected) return connected;
    for (std::size_t i = 0; i < containers().size(); ++i) {
        auto permissions = held(containers()[i], sdk::Permission::connect);
        if (!permissions) return permissions.error();
        if (permissions->has(sdk::Permission::connect)) continue;
        return unknown_record(input_.route->resource->chain[i]->descriptor.type, input_.values[i]);
    }
    return {};
}

sdk::Result<bool> RoutedCall::may_read(const sdk::RecordKey& record) const {
    if (is_unchecked()) return true;
    auto permissions = held(record, sdk::Permission::read);
    if (!permissions) return permissions.error();
    return permissions->has(sdk::Permission::read);
}

sdk::Result<void> RoutedCall::hold_decision() {
    if (is_unchecked() || !context_.transaction().has_writes()) return {};
    return authority::AuthorityStore::hold_decisions(context_.transaction(),
                                                     context_.platform().number);
}

sdk::Result<void> RoutedCall::hold_path() {
    if (!is_path_remembered_ || !context_.transaction().has_writes()) return {};
    TargetPath path;
    storage::Record container;
    return walk_path(path, container);
}

sdk::Result<void> RoutedCall::authorize() {
    const Route& route = *input_.route;
    if (is_unchecked()) return {};
    if (auto connected = authorize_platform(); !connected) return connected;
    const sdk::RecordKey& root = context_.platform().root;
    const std::string& platform_id = context_.platform().id;
    switch (route.guard) {
        case Guard::record: {
            auto held = is_held_around();
            if (!held) return held.error();
            if (*held) return {};
            // The id as it was sent: the answer must not tell a hidden record from an unknown one.
            const bool is_root = stored_.sequence.empty();
            const auto* family = route.resource;
            return require(record_key_, route.permission,
                           family ? std::string_view(family->descriptor.type) : kPlatformType,
                           is_root ? platform_id : input_.values[place_of_id(*family)]);
        }
        case Guard::container: {
            const bool is_root = place().container == root;
            return require(place().container, route.permission,
                           is_root ? kPlatformType : route.resource->descriptor.container,
                           is_root ? platform_id : place().name.container);
        }
        case Guard::platform:
            return require(root, route.permission, kPlatformType, platform_id);
    }
    return {};
}

sdk::Result<void> RoutedCall::check_precondition() const {
    const Route& route = *input_.route;
    if (!route.may_change_record() || route.has_own_tag) return {};
    return sdk::check_if_match(*this, stored_.etag());
}

/// Of a raw body only what says that it is JSON must be; plain text may be.
sdk::Result<void> RoutedCall::decode() {
    if (input_.is_decoded || input_.raw_body.empty()) return {};
    const Route& route = *input_.route;
    const bool is_read_by_handler =
        route.takes_pieces(input_.header("Content-Type").value_or("")) ||
        (route.has_raw_body && !route.may_have_json);
    if (is_read_by_handler) return {};
    bool must_be_json = true;
    if (route.has_raw_body) {
        const BodyKind kind = body_kind(input_.header("Content-Type").value_or(""));
        if (kind == BodyKind::other) return {};
        must_be_json = kind == BodyKind::json;
    }
    auto body = sdk::parse_json(input_.raw_body);
    if (!body && must_be_json) return body.error();
    if (!body || (!must_be_json && !body->is_structured())) return {};
    const bool is_fitting = body->is_object() || (body->is_array() && route.takes_array);
    if (!is_fitting)
        return sdk::make_error({{"body", "body.not_an_object", "the body must be a JSON object"}});
    // A smaller one has no room for so many.
    if (input_.raw_body.size() > kMaxMembers) {
        if (auto narrow = check_members(*body); !narrow) return narrow;
    }
    input_.body = std::move(*body);
    return {};
}

/// Which words there are is the same wherever an operation starts a job.
sdk::Result<void> RoutedCall::check_schedule() const {
    std::string word = sdk::lower_case(parameter(kSchedule).value_or(""));
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
        word = word.substr(1, word.size() - 2);
    if (word.empty() || word == "synchronous" || word == "asynchronous") return {};
    return sdk::invalid_parameter(kSchedule, "must be synchronous or asynchronous");
}

sdk::Result<void> RoutedCall::check_body() const {
    if (input_.is_decoded || input_.body.empty()) return {};
    return check_bounds(input_.body, input_.route->body, input_.route->bounds);
}

sdk::Result<void> RoutedCall::read_parameters() {
    if (input_.is_decoded) return {};
    const Route& route = *input_.route;
    if (route.is_paged) {
        auto page = pagination::read_page_parameters(
            [&](std::string_view name) { return parameter(name); },
            {.default_limit = services().default_limit}, parameter_names());
        if (!page) return page.error();
        input_.page = std::move(*page);
    }
    for (const sdk::Parameter& declared : route.parameters) {
        if (declared.required) {
            if (auto value = required_parameter(declared.name); !value) return value.error();
        }
        if (declared.name == kSchedule) {
            if (auto known = check_schedule(); !known) return known;
        }
    }
    input_.is_decoded = true;
    return {};
}

}  // namespace stele::kernel::resource
