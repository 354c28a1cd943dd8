#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stele::email_providers {

/// How far an SMTP conversation has come.
enum class SmtpStage { connection, greeting, tls, authentication, sender, recipient, content };

/// One reply of a server: `550 5.1.1 no such user`, several lines joined by blanks.
struct SmtpReply {
    int code = 0;
    std::string text;
    bool is_refusal() const { return code >= 400; }
    bool is_permanent() const { return code >= 500; }
};

/// Follows a conversation line by line, to tell afterwards what went wrong and whose recipient was
/// refused. Keeps nothing that the client said, hence no credentials, and takes them out of what
/// the server said. One thread.
class SmtpConversation {
public:
    SmtpConversation(const std::string& username, const std::string& password);

    /// One line of the client.
    void sent(std::string_view line);
    /// One line of the server.
    void received(std::string_view line);
    /// The whole mail was given to the connection.
    void content_sent() { is_content_sent_ = true; }

    SmtpStage stage() const { return stage_; }
    /// The last complete reply; code 0 before the first.
    const SmtpReply& last_reply() const { return last_; }
    /// Replies to the recipients so far, in their order.
    const std::vector<SmtpReply>& recipient_replies() const { return recipients_; }
    bool is_authenticated() const { return is_authenticated_; }
    /// The mail went out and the server's answer to it never came in.
    bool is_uncertain() const { return is_content_sent_ && !is_content_answered_; }

private:
    void complete(SmtpReply reply);

    std::vector<std::string> secrets_;
    SmtpStage stage_ = SmtpStage::connection;
    SmtpReply pending_;
    SmtpReply last_;
    std::vector<SmtpReply> recipients_;
    bool is_over_ = false;
    bool is_authenticated_ = false;
    bool is_content_sent_ = false;
    bool is_content_answered_ = false;
};

/// `text` as UTF-8 without control characters, not much longer than `length`.
std::string shown(std::string_view text, std::size_t length);

}  // namespace stele::email_providers
