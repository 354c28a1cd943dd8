#include "kernel/http/pipeline/request_origin.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::http {

namespace {

std::string_view last_parameter(const resource::RequestInput& input, std::string_view name) {
    std::string_view last;
    for (const auto& [key, value] : input.parameters) {
        if (key == name) last = value;
    }
    return last;
}

}  // namespace

sdk::Result<void> RequestPipeline::learn_credential_parts() {
    if (!authenticator_) return {};
    auto parts = plugin::guarded<std::vector<sdk::CredentialPart>>(
        "authenticator", "credential_parts", [this] {
            return sdk::Result<std::vector<sdk::CredentialPart>>(
                authenticator_->credential_parts());
        });
    if (!parts) return parts.error();
    credential_parts_ = std::move(*parts);
    return {};
}

sdk::Credential RequestPipeline::credential_of(const PendingRequest& pending) const {
    const Request& request = pending.exchange->request();
    for (const sdk::CredentialPart& part : credential_parts_) {
        const std::string_view value =
            part.place == sdk::CredentialPart::Place::parameter
                ? last_parameter(pending.input, part.name)
                : sdk::credential_in(part, request.header(sdk::header_of(part)).value_or(""));
        if (!value.empty()) return {&part, value};
    }
    return {};
}

/// Whether a request with nothing but what browsers add was sent for a page that may act for its
/// user. Reads are let pass: their replies are hidden from foreign pages, and they write nothing.
bool RequestPipeline::may_act_for_page(const PendingRequest& pending) const {
    const Request& request = pending.exchange->request();
    return !pending.is_by_browser || only_reads(request) ||
           origin_of(request, cors_) == RequestOrigin::own;
}

sdk::Result<sdk::SessionPtr> RequestPipeline::authenticate(PendingRequest& pending) const {
    if (pending.input.route->is_open) return anonymous_;
    if (!authenticator_) {
        sdk::Error error = sdk::make_error(sdk::ErrorKind::unauthenticated, "http.no_authenticator",
                                           "no enabled plugin issues tokens");
        error.protocol_error = "invalid_token";
        return error;
    }
    const sdk::Credential credential = credential_of(pending);
    pending.is_by_browser = credential.part && credential.part->is_added_by_browser;
    try {
        return authenticator_->authenticate(credential);
    } catch (...) {
        return plugin::escaped("authenticator", "authenticate");
    }
}

}  // namespace stele::kernel::http
