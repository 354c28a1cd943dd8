#include "kernel/resource/operations/inner_operations.hpp"

#include <utility>

#include <fmt/format.h>

#include "kernel/resource/operations/activity_notes.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/record_path.hpp"
#include "kernel/resource/work/snapshot_transaction.hpp"

namespace stele::kernel::resource {

namespace {

class GivenUpload final : public sdk::Upload {
public:
    explicit GivenUpload(sdk::Result<sdk::PieceSource> source) : source_(std::move(source)) {}
    sdk::Result<void> read(std::string& piece) override {
        if (!source_) return source_.error();
        return (*source_)(piece);
    }

private:
    sdk::Result<sdk::PieceSource> source_;
};

sdk::Error unknown_operation(const sdk::InnerOperation& operation, std::string_view of) {
    return sdk::make_error(
        sdk::ErrorKind::not_found, "http.route_unknown",
        fmt::format("there is no operation {} {} of {}", operation.method, operation.path, of));
}

/// The path that a client would have asked for.
std::string filled(std::string_view pattern, const std::vector<std::string>& values) {
    std::string path;
    std::size_t next = 0;
    while (!pattern.empty()) {
        const std::size_t begin = pattern.find('{');
        path += pattern.substr(0, begin);
        if (begin == std::string_view::npos) break;
        if (next < values.size()) path += values[next++];
        pattern.remove_prefix(pattern.find('}', begin) + 1);
    }
    return path;
}

sdk::Result<sdk::Reply> run(WorkContext& context, const Route& route,
                            const std::vector<std::string>& values,
                            const sdk::InnerOperation& operation) {
    RequestInput input;
    input.route = &route;
    input.values = values;
    input.values.insert(input.values.end(), operation.values.begin(), operation.values.end());
    // No client could have asked for such a path.
    if (input.values.size() != route.placeholders.size())
        return unknown_operation(operation, route.path);
    input.parameters = operation.parameters;
    input.body = operation.body;
    if (operation.bytes) {
        input.open_upload = [&operation] {
            return std::make_unique<GivenUpload>(operation.bytes());
        };
    }
    input.header = [&operation](std::string_view name) -> std::optional<std::string_view> {
        if (name != "Content-Type" || operation.content_type.empty()) return std::nullopt;
        return operation.content_type;
    };
    const std::string path = filled(route.path, input.values);
    input.method = route.method;
    input.path = path;
    input.session = context.shared_session();
    RoutedCall call(context, input);
    auto reply = run_operation(call);
    if (!reply || route.method == "GET") return reply;
    if (auto held = call.hold_decision(); !held) return held.error();
    ActivityNotes* const activities = context.services().activities;
    if (!activities || !context.transaction().has_writes()) return reply;
    if (auto noted = activities->note_write(call); !noted) return noted.error();
    return reply;
}

sdk::SessionPtr session_of(const sdk::PlatformScope& platform, const sdk::Principal& principal) {
    auto session = std::make_shared<sdk::Session>();
    session->platform = platform;
    session->principal = principal;
    return session;
}

}  // namespace

const Route* InnerOperations::find_route(std::string_view method, const std::string& path) const {
    std::call_once(is_indexed_, [this] {
        for (const Route& route : services_.registry.routes())
            routes_.emplace(route.method + " " + route.path, &route);
    });
    const auto found = routes_.find(fmt::format("{} {}", method, path));
    return found == routes_.end() ? nullptr : found->second;
}

bool InnerOperations::is_offered(std::string_view type, bool is_of_record,
                                 const sdk::InnerOperation& operation) const {
    const RegisteredResource* const family =
        type == kPlatformType ? nullptr : services_.registry.find(type);
    const bool is_known = family || (type == kPlatformType && is_of_record);
    if (!is_known) return false;
    const std::string path = is_of_record ? RecordPath{family, {}}.pattern(operation.path)
                                          : family->collection_path + operation.path;
    return find_route(operation.method, path) != nullptr;
}

sdk::Result<sdk::Reply> InnerOperations::on_record(sdk::Context& context,
                                                   const sdk::RecordKey& record,
                                                   const sdk::InnerOperation& operation) {
    WorkContext& work = WorkContext::of(context);
    auto path = record_path(work, record);
    if (!path) return path.error();
    const Route* const route = find_route(operation.method, path->pattern(operation.path));
    if (!route)
        return unknown_operation(operation,
                                 path->family ? path->family->descriptor.type : kPlatformType);
    return run(work, *route, path->values, operation);
}

sdk::Result<sdk::Reply> InnerOperations::on_collection(sdk::Context& context, std::string_view type,
                                                       const sdk::RecordKey& container,
                                                       const sdk::InnerOperation& operation) {
    WorkContext& work = WorkContext::of(context);
    const RegisteredResource* const family = services_.registry.find(type);
    if (!family) return unknown_operation(operation, type);
    auto around = record_path(work, container);
    if (!around) return around.error();
    if (around->family != family->container) {
        return sdk::make_error(sdk::ErrorKind::invalid, "resource.container_unfit",
                               fmt::format("{} does not lie in such a record", type));
    }
    const Route* const route =
        find_route(operation.method, family->collection_path + operation.path);
    if (!route) return unknown_operation(operation, type);
    return run(work, *route, around->values, operation);
}

sdk::Result<void> InnerOperations::run_as(
    const sdk::PlatformScope& platform, const sdk::Principal& principal,
    const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    return run_for(services_, session_of(platform, principal), work);
}

sdk::Result<void> InnerOperations::read_as(
    const sdk::PlatformScope& platform, const sdk::Principal& principal,
    const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    const authority::Moment moment = services_.authority_cache.moment();
    auto state = std::make_shared<WorkContext::Work>(WorkContext::Work{
        .moment = moment,
        .transaction = std::make_unique<SnapshotTransaction>(services_.engine->snapshot())});
    WorkContext context(services_, session_of(platform, principal), std::move(state));
    if (auto done = work(context); !done) return done;
    if (!context.transaction().has_writes()) return {};
    return sdk::make_error(sdk::ErrorKind::internal, "engine.snapshot_written",
                           "what only reads has written");
}

}  // namespace stele::kernel::resource
