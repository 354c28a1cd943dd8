#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::audit {

/// Type of the records of the audit log, and of the family that shows them.
inline constexpr char kActivityType[] = "activity";

/// Who did, or tried, what, on which record, when and from where.
struct Activity {
    std::string type;   ///< what was done, in a few words (`create`, `login`)
    std::string route;  ///< method and pattern of the path
    std::string path;   ///< as sent, without the query string
    int status = 200;
    sdk::Principal user;
    std::string request_id;
    std::string remote_address;
    /// What it was done to; empty where it is no record.
    struct Object {
        std::string type;
        std::string id;
        std::string reference;
    };
    Object object;
    /// The data store that the record is or lies in.
    Object store;
    /// A second record that takes part, in the form in which it was named: who was granted
    /// something, who became a member.
    std::string other_id;
    std::int64_t at_ms = 0;
};

/// The record of the audit log. Members are named as the published drivers read them.
sdk::Json activity_record(const sdk::PlatformScope& platform, const std::string& id,
                          const Activity& activity);

}  // namespace stele::kernel::audit
