#include "kernel/resource/operations/later_call.hpp"

namespace stele::kernel::resource {

LaterCall::LaterCall(const RoutedCall& call)
    : services_(call.services()),
      place_(call.place()),
      request_id_(call.request_id()),
      path_(call.input().path),
      remote_address_(call.input().remote_address),
      input_(call.input()) {
    input_.raw_body = {};
    input_.open_upload = nullptr;
    input_.header = [](std::string_view) { return std::optional<std::string_view>(); };
    input_.method = input_.route->method;
    input_.path = path_;
    input_.remote_address = remote_address_;
    input_.request_id = request_id_;
}

sdk::Result<bool> LaterCall::run(const std::function<sdk::Result<bool>(const RoutedCall&)>& work) {
    WorkContext context(services_, input_.session);
    return work(RoutedCall(context, input_, place_));
}

}  // namespace stele::kernel::resource
