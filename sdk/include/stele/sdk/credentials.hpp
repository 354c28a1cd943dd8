#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stele::sdk {

/// A part of a request in which a credential may stand.
struct CredentialPart {
    enum class Place : std::uint8_t {
        parameter,      ///< of the query or the path; the last one of the name counts
        authorization,  ///< header `Authorization`; `name` is the scheme, in any case
        header,
        cookie  ///< the first one of the name counts
    };
    Place place = Place::header;
    std::string name;
    /// Browsers send it along by themselves, whichever page asks. A request with nothing else may
    /// write for pages of the own site only, and not by GET
    /// (docs/decisions/0062-what-a-cookie-is-good-for.md).
    bool is_added_by_browser = false;
};

/// The credential of one request, as it stands there: nothing is decoded.
struct Credential {
    const CredentialPart* part = nullptr;  ///< null when the request has none
    std::string_view value;
};

/// The header in which the part stands; empty for a parameter. The views live as long as the part.
std::string_view header_of(const CredentialPart& part);

/// What that header's text says of the part; empty when it says nothing. A view into `text`.
std::string_view credential_in(const CredentialPart& part, std::string_view text);

}  // namespace stele::sdk
