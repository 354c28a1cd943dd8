#include "kernel/http/pipeline/second_look.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::http {

namespace {

/// A call that outlives its request. It has no body and no headers.
class KeptCall {
public:
    KeptCall(const resource::RequestInput& input, std::string etag)
        : method_(input.method),
          path_(input.path),
          remote_address_(input.remote_address),
          request_id_(input.request_id),
          etag_(std::move(etag)) {
        input_.route = input.route;
        input_.values = input.values;
        input_.parameters = input.parameters;
        input_.header = [](std::string_view) { return std::nullopt; };
        input_.method = method_;
        input_.path = path_;
        input_.remote_address = remote_address_;
        input_.request_id = request_id_;
        input_.session = input.session;
    }
    KeptCall(const KeptCall&) = delete;
    KeptCall& operator=(const KeptCall&) = delete;

    /// The bytes as a record names them now.
    sdk::Result<sdk::BodySource> open_again(resource::Services& services, std::uint64_t first,
                                            std::uint64_t end) {
        resource::WorkContext context(services, input_.session,
                                      resource::WorkContext::begin(services));
        resource::RoutedCall call(context, input_);
        std::optional<sdk::Reply> reply;
        if (auto done = resource::execute(call, reply); !done) return done.error();
        if (reply->ranges() && reply->etag_value() == etag_) return reply->ranges()(first, end);
        return sdk::make_error(sdk::ErrorKind::unavailable, "http.busy",
                               "what was asked for has changed meanwhile; try again");
    }

private:
    const std::string method_;
    const std::string path_;
    const std::string remote_address_;
    const std::string request_id_;
    const std::string etag_;
    resource::RequestInput input_;
};

sdk::Result<bool> pull_again(resource::Services& services, KeptCall& call, std::uint64_t first,
                             std::uint64_t end, sdk::BodySource& source, std::string& out) {
    auto opened = call.open_again(services, first, end);
    if (!opened) {
        if (is_binary_gone(opened.error())) return services.binaries.note_gone(opened.error());
        return opened.error();
    }
    source = std::move(*opened);
    auto has_more = source(out);
    if (has_more || !is_binary_gone(has_more.error())) return has_more;
    return services.binaries.note_gone(has_more.error());
}

}  // namespace

sdk::Reply::RangeSource look_twice(resource::Services& services,
                                   const resource::RequestInput& input,
                                   sdk::Reply::RangeSource open, const std::string& etag) {
    auto call = std::make_shared<KeptCall>(input, etag);
    return [&services, call = std::move(call), open = std::move(open)](
               std::uint64_t first, std::uint64_t end) -> sdk::BodySource {
        return [&services, call, first, end,
                source = open(first, end)](std::string& out) mutable -> sdk::Result<bool> {
            auto has_more = source(out);
            if (has_more || !is_binary_gone(has_more.error())) return has_more;
            return pull_again(services, *call, first, end, source, out);
        };
    };
}

}  // namespace stele::kernel::http
