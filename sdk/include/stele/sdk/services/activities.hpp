#pragma once

#include <string>

#include <stele/sdk/call.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Something that somebody did or tried, for the audit log.
struct NewActivity {
    /// What was done, in a few words (`login`); what has failed ends in `.refused`.
    std::string type;
    /// Who; without a key when it is unknown, then `name` is what the caller claimed to be.
    Principal user;
};

/// What happens where the kernel cannot see who acts: logins. Every operation of an authenticated
/// caller that writes is in the audit log anyway. Published by the kernel; does nothing while the
/// setting `audit.enabled` is off.
class Activities {
public:
    virtual ~Activities();

    /// Written in the transaction of `context`, on its platform.
    virtual Result<void> note(Context& context, const Call& call, const NewActivity& activity) = 0;
    /// Written soon, whatever becomes of the call's own transaction. Of a flood some are only
    /// counted. Any thread.
    virtual void note_refused(const PlatformScope& platform, const Call& call,
                              const NewActivity& activity) = 0;
};

}  // namespace stele::sdk
