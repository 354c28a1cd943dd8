#pragma once

#include <stele/sdk/services/activities.hpp>

#include "kernel/audit/trail.hpp"
#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// What of an operation belongs into the audit trail, in terms of records.
class ActivityNotes final : public sdk::Activities {
public:
    explicit ActivityNotes(audit::Trail& trail) : trail_(trail) {}

    sdk::Result<void> note(sdk::Context& context, const sdk::Call& call,
                           const sdk::NewActivity& activity) override;
    void note_refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                      const sdk::NewActivity& activity) override;

    /// Of an operation that has run and is about to commit.
    sdk::Result<void> note_write(const RoutedCall& call);

private:
    sdk::Result<bool> is_wanted(const RoutedCall& call) const;

    audit::Trail& trail_;
};

}  // namespace stele::kernel::resource
