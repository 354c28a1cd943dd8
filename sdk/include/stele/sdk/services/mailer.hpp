#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A mail that belongs to something else that is done.
struct NewMail {
    std::string application_id;
    std::string provider_id;
    /// Members of an email (docs/reference/email.md) that say what they mean themselves, others are
    /// left out: `from`, `to`, `cc`, `bcc`, `replyTo`, `subject`, `body`, `html`.
    Json email = Json::object();
    /// Who gets it beside `to`; the caller need not know of them, so this is never a client's to
    /// say. Means nothing without a key.
    Principal addressee;
    /// Values of the placeholders; texts.
    Json model = Json::object();
};

struct PostedMail {
    std::string email_id;
    std::string job_id;
};

/// Sends mails by the email providers of applications. Published by the plugin that keeps these,
/// which is opened late: ask for it when it is needed. Any thread.
class Mailer {
public:
    virtual ~Mailer();

    /// The provider by which an application sends when none is named, its first one; nothing when
    /// it has none that the caller may use (`post`).
    virtual Result<std::optional<std::string>> provider_of(Context& context,
                                                           std::string_view application_id) = 0;

    /// Stores an email of the application in the context's transaction, and a job that sends it
    /// once that is committed. The caller needs CREATE_SUBOBJECTS on the application and READ on
    /// the provider: `forbidden`, or `not_found` for what it may not know of. `invalid` when the
    /// mail cannot be composed.
    virtual Result<PostedMail> post(Context& context, const NewMail& mail) = 0;
};

}  // namespace stele::sdk
