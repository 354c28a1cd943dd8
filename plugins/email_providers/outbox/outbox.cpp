#include "outbox.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

namespace stele::email_providers {

namespace {

constexpr char kSending[] = "sending";
/// Added to the time of a delivery before its claim counts as left behind: clocks of servers that
/// share a store differ.
constexpr std::int64_t kClaimMarginMs = 60'000;
constexpr int kRetryAfterSeconds = 5;

/// Takes no less room than the outcome that replaces it, so that a mail that has gone out can be
/// marked in an application that is almost full.
sdk::Json claim_of(const SendOrder& order, std::int64_t until) {
    return {{"by", order.sent_by},
            {"messageId", order.message_id},
            {"on", sdk::time_value(sdk::now_ms())},
            {"until", sdk::time_value(until)}};
}

std::int64_t end_of(const sdk::Json& claim) {
    const auto until = claim.find("until");
    return until != claim.end() ? sdk::integer_member(*until, "ms").value_or(0) : 0;
}

/// What the email keeps of an outcome.
sdk::Json members_of(const SendOrder& order, const sdk::Result<Delivery>& outcome) {
    if (outcome) {
        return {{"sent", true},
                {"sentOn", sdk::time_value(sdk::now_ms())},
                {"sentBy", order.sent_by},
                {"messageId", order.message_id},
                {kSending, nullptr},
                {"lastError", nullptr}};
    }
    const sdk::Error& error = outcome.error();
    sdk::Json members = {{"lastError",
                          {{"code", error.code},
                           {"message", error.message},
                           {"on", sdk::time_value(sdk::now_ms())}}}};
    members[kSending] =
        error.code == kOutcomeUnknown ? claim_of(order, sdk::now_ms()) : sdk::Json();
    return members;
}

sdk::Error refusal(const char* code, const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::conflict, code, problem);
}

}  // namespace

/// One of the mails that may be on their way.
class Outbox::Slot {
public:
    explicit Slot(std::atomic<std::size_t>& free) : free_(free) {
        std::size_t seen = free_.load();
        while (seen > 0 && !is_taken_)
            is_taken_ = free_.compare_exchange_weak(seen, seen - 1);
    }
    ~Slot() {
        if (is_taken_) ++free_;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    bool is_taken() const { return is_taken_; }
    static sdk::Error none() {
        sdk::Error error = sdk::make_error(sdk::ErrorKind::limited, "email_providers.busy",
                                           "too many mails are on their way; try again soon");
        error.retry_after_seconds = kRetryAfterSeconds;
        return error;
    }

private:
    std::atomic<std::size_t>& free_;
    bool is_taken_ = false;
};

sdk::Result<Delivery> Outbox::send_unrecorded(const Delivering& delivering) {
    const Slot slot(free_slots_);
    if (!slot.is_taken()) return Slot::none();
    return delivering();
}

sdk::Result<Delivery> Outbox::send(const SendOrder& order, const Delivering& delivering) {
    const Slot slot(free_slots_);
    if (!slot.is_taken()) return Slot::none();
    auto claimed = registrar_.run_as_system(
        order.platform, [&](sdk::Context& context) { return claim(context, order); });
    if (!claimed) return claimed.error();

    auto outcome = delivering();
    auto recorded = record_outcome(order, outcome);
    if (!recorded && outcome) {
        return sdk::make_error(sdk::ErrorKind::internal, "email_providers.outcome_unrecorded",
                               "the mail was sent, but the email could not be marked as sent",
                               recorded.error().code + ": " + recorded.error().message);
    }
    if (!recorded) {
        sdk::log(sdk::LogLevel::error, "email_providers",
                 "the failure of email " + order.email_id + " was not recorded: " +
                     recorded.error().code + ": " + recorded.error().message);
    }
    return outcome;
}

sdk::Result<void> Outbox::claim(sdk::Context& context, const SendOrder& order) const {
    auto email = context.documents().read(order.collection, order.email_id);
    if (!email) return email.error();
    const std::int64_t now = sdk::now_ms();
    const auto claim = email->fields.find(kSending);
    if (claim != email->fields.end() && claim->is_object()) {
        if (end_of(*claim) > now) {
            return refusal("email_providers.sending", "the email is being sent right now");
        }
        if (!order.is_repeated) {
            return refusal(kOutcomeUnknown,
                           "nobody knows whether the email was delivered when it was sent last; "
                           "resend=true sends it again");
        }
    }
    if (sdk::flag_member(email->fields, "sent", false) && !order.is_repeated) {
        return refusal(kSentAlready, "the email has been sent; resend=true sends it again");
    }
    auto patched = context.documents().patch(
        order.collection, email->id,
        {{kSending, claim_of(order, now + patience_.count() + kClaimMarginMs)}});
    if (!patched) return patched.error();
    return {};
}

sdk::Result<void> Outbox::record(const SendOrder& order, const sdk::Json& members) {
    return registrar_.run_as_system(
        order.platform, [&](sdk::Context& context) -> sdk::Result<void> {
            auto patched = context.documents().patch(order.collection, order.email_id, members);
            // Removed while it was on its way: there is nothing to mark.
            if (patched || sdk::is_missing(patched.error())) return {};
            return patched.error();
        });
}

sdk::Result<void> Outbox::record_outcome(const SendOrder& order,
                                         const sdk::Result<Delivery>& outcome) {
    sdk::Json members = members_of(order, outcome);
    auto recorded = record(order, members);
    const bool is_full = !recorded && recorded.error().kind == sdk::ErrorKind::storage_full;
    if (outcome || !is_full) return recorded;
    // The reason of a failure may be long; that the email can be sent again matters more.
    members.erase("lastError");
    return record(order, members);
}

}  // namespace stele::email_providers
