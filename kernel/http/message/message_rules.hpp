#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/http/message/message.hpp"

namespace stele::kernel::http {

/// Whether `If-None-Match` names `etag`: weak comparison, lists and `*` (RFC 9110, 13.1.2).
bool names_etag(std::string_view if_none_match, std::string_view etag);

/// First header of that name among the reply's, or nullptr.
const std::string* find_header(const Response& response, std::string_view name);

/// An origin in the form in which browsers send it: lower case, no default port, no slash at its
/// end. Nothing when the text is no origin; `*` is none either.
std::optional<std::string> normalized_origin(std::string_view text);

/// Which origins may read replies in a browser. An origin of the list may also send credentials;
/// `*` lets every origin read, without credentials.
class CorsRules {
public:
    explicit CorsRules(std::vector<std::string> origins);

    bool is_enabled() const { return !origins_.empty() || allows_all_; }
    /// Whether replies differ by origin, so that caches must know.
    bool varies() const { return !origins_.empty(); }

    /// A preflight is answered here, everything else is the handler's.
    static bool is_preflight(const Request& request);
    /// What a preflight gets; the caller answers 403 instead when `allows` is false.
    Response preflight_response(const Request& request) const;

    bool allows(std::string_view origin) const;
    /// By name, not only as one of all.
    bool is_listed(std::string_view origin) const;
    /// Appends the header lines of any reply to a request from `origin`.
    void append_headers(std::string_view origin, std::string& head) const;

private:
    std::vector<std::string> origins_;
    bool allows_all_ = false;
};

}  // namespace stele::kernel::http
