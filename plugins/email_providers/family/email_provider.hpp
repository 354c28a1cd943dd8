#pragma once

#include <stele/sdk/resource.hpp>

#include "mail/mail_transport.hpp"
#include "outbox/mail_composer.hpp"
#include "outbox/outbox.hpp"

namespace stele::email_providers {

inline constexpr char kProviderType[] = "emailProvider";

/// Outgoing mail account of an application.
///
/// List, query, read, create, update, delete, permission checks and authority grants come from the
/// descriptor. Only `send` and `test` are written by hand.
///
/// Thread safety: methods may run concurrently.
class EmailProvider final : public sdk::Resource {
public:
    /// All must outlive this object. `is_capturing`: the transport keeps mails and needs no server.
    EmailProvider(MailComposer& composer, Outbox& outbox, MailTransport& transport,
                  bool is_capturing)
        : composer_(composer),
          outbox_(outbox),
          transport_(transport),
          is_capturing_(is_capturing) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;

    /// `{provider}/send?email=…`: delivers a stored email and records the outcome on it.
    sdk::Result<sdk::Reply> send(const sdk::Call& call);

    /// `{provider}/test?from=…&to=…`: proves that the account works. Stores nothing.
    sdk::Result<sdk::Reply> test(const sdk::Call& call);

private:
    MailComposer& composer_;
    Outbox& outbox_;
    MailTransport& transport_;
    bool is_capturing_;
};

}  // namespace stele::email_providers
