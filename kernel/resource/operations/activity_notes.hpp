#pragma once

#include <stele/sdk/services/activities.hpp>

#include "kernel/audit/audit_log.hpp"
#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// What of an operation belongs into the audit log, in terms of records.
class ActivityNotes final : public sdk::Activities {
public:
    explicit ActivityNotes(audit::AuditLog& audit_log) : audit_log_(audit_log) {}

    sdk::Result<void> note(sdk::Context& context, const sdk::Call& call,
                           const sdk::NewActivity& activity) override;
    void note_refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                      const sdk::NewActivity& activity) override;

    /// Of an operation that has run and is about to commit.
    sdk::Result<void> note_write(const RoutedCall& call);

private:
    sdk::Result<bool> is_wanted(const RoutedCall& call) const;

    audit::AuditLog& audit_log_;
};

}  // namespace stele::kernel::resource
