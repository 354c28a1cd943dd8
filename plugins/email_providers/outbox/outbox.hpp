#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <stele/sdk/registrar.hpp>

#include "mail/mail_transport.hpp"

namespace stele::email_providers {

/// Which stored email is sent, and for whom.
struct SendOrder {
    sdk::PlatformScope platform;
    sdk::CollectionName collection;
    std::string email_id;
    std::string message_id;
    /// Qualified id of the principal that sends.
    std::string sent_by;
    /// Also when it has been sent, or may have been.
    bool is_repeated = false;
};

/// The code of the refusal to send an email again without being asked for.
inline constexpr char kSentAlready[] = "email_providers.sent_already";

/// Sends each email once: it is claimed in a transaction of its own, then sent, then its outcome is
/// stored in another one. Of several callers one gets the claim. When the server dies in between,
/// the claim stays, and the email is sent again only on request (docs/reference/email.md).
class Outbox {
public:
    using Delivering = std::function<sdk::Result<Delivery>()>;

    /// `patience`: the longest that a delivery takes.
    Outbox(sdk::Registrar& registrar, std::size_t concurrent_sends,
           std::chrono::milliseconds patience)
        : registrar_(registrar), free_slots_(concurrent_sends), patience_(patience) {}

    /// Never inside a transaction that may be repeated: it commits, and what `delivering` does
    /// cannot be taken back. Waits; only on workers. `conflict` when the email is being sent, has
    /// been sent, or nobody knows; `limited` (`email_providers.busy`) when too many are on their
    /// way; otherwise what `delivering` answers.
    sdk::Result<Delivery> send(const SendOrder& order, const Delivering& delivering);

    /// Delivers what is not stored.
    sdk::Result<Delivery> send_unrecorded(const Delivering& delivering);

private:
    class Slot;

    sdk::Result<void> claim(sdk::Context& context, const SendOrder& order) const;
    sdk::Result<void> record_outcome(const SendOrder& order, const sdk::Result<Delivery>& outcome);
    sdk::Result<void> record(const SendOrder& order, const sdk::Json& members);

    sdk::Registrar& registrar_;
    std::atomic<std::size_t> free_slots_;
    std::chrono::milliseconds patience_;
};

}  // namespace stele::email_providers
