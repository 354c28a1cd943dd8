#include "mail_message.hpp"

#include <algorithm>
#include <memory>

#include <gmime/gmime.h>

namespace stele::email_providers {

namespace {

struct Unreference {
    void operator()(gpointer object) const { g_object_unref(object); }
};
template <class Type>
using Reference = std::unique_ptr<Type, Unreference>;

// Otherwise GMime picks the smallest charset for each text.
constexpr char kCharset[] = "utf-8";

/// GMime wants lines to end with LF and writes CRLF itself.
std::string with_plain_line_ends(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_return = text[i] == '\r';
        if (is_return && i + 1 < text.size() && text[i + 1] == '\n') continue;
        plain += is_return ? '\n' : text[i];
    }
    return plain;
}

void add_mailboxes(InternetAddressList* list, const std::vector<Mailbox>& mailboxes) {
    for (const Mailbox& mailbox : mailboxes) {
        const Reference<InternetAddress> address(internet_address_mailbox_new(
            mailbox.name.empty() ? nullptr : mailbox.name.c_str(), mailbox.address.c_str()));
        internet_address_set_charset(address.get(), kCharset);
        internet_address_list_add(list, address.get());
    }
}

/// Gives the part its content, to be encoded when it is written. GMime keeps a copy.
void set_content(GMimePart* part, const std::string& bytes, GMimeContentEncoding encoding) {
    const Reference<GMimeStream> stream(
        g_mime_stream_mem_new_with_buffer(bytes.data(), bytes.size()));
    const Reference<GMimeDataWrapper> wrapper(
        g_mime_data_wrapper_new_with_stream(stream.get(), GMIME_CONTENT_ENCODING_DEFAULT));
    g_mime_part_set_content(part, wrapper.get());
    g_mime_part_set_content_encoding(part, encoding);
}

Reference<GMimeObject> text_part(const char* subtype, std::string_view text) {
    Reference<GMimePart> part(g_mime_part_new_with_type("text", subtype));
    g_mime_object_set_content_type_parameter(GMIME_OBJECT(part.get()), "charset", kCharset);
    set_content(part.get(), with_plain_line_ends(text), GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
    return Reference<GMimeObject>(GMIME_OBJECT(part.release()));
}

Reference<GMimeObject> body_of(const MailContent& content) {
    if (!content.html) return text_part("plain", content.text.value_or(""));
    if (!content.text) return text_part("html", *content.html);
    Reference<GMimeMultipart> both(g_mime_multipart_new_with_subtype("alternative"));
    g_mime_multipart_add(both.get(), text_part("plain", *content.text).get());
    g_mime_multipart_add(both.get(), text_part("html", *content.html).get());
    return Reference<GMimeObject>(GMIME_OBJECT(both.release()));
}

/// A word of a media type (RFC 2045, 5.1).
bool is_token(const char* text) {
    static constexpr std::string_view kSpecials = "()<>@,;:\\\"/[]?= ";
    const std::string_view token(text);
    return !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
        return c > ' ' && c < 0x7f && kSpecials.find(c) == std::string_view::npos;
    });
}

/// The declared type, or the general one where the declared one is broken or would have to be
/// sent unencoded (RFC 2045, 6.4).
Reference<GMimePart> part_of_type(const std::string& declared) {
    Reference<GMimePart> part(g_mime_part_new_with_type("application", "octet-stream"));
    if (declared.empty() || has_control_character(declared)) return part;
    const Reference<GMimeContentType> type(g_mime_content_type_parse(nullptr, declared.c_str()));
    const bool is_usable = type && is_token(g_mime_content_type_get_media_type(type.get())) &&
                           is_token(g_mime_content_type_get_media_subtype(type.get())) &&
                           !g_mime_content_type_is_type(type.get(), "multipart", "*") &&
                           !g_mime_content_type_is_type(type.get(), "message", "*");
    if (is_usable) g_mime_object_set_content_type(GMIME_OBJECT(part.get()), type.get());
    return part;
}

void set_file_name(GMimePart* part, const std::string& name) {
    if (name.empty()) return;
    g_mime_part_set_filename(part, name.c_str());
    GMimeObject* object = GMIME_OBJECT(part);
    GMimeParamList* of_disposition =
        g_mime_content_disposition_get_parameters(g_mime_object_get_content_disposition(object));
    GMimeParamList* of_type =
        g_mime_content_type_get_parameters(g_mime_object_get_content_type(object));
    g_mime_param_set_charset(g_mime_param_list_get_parameter(of_disposition, "filename"), kCharset);
    g_mime_param_set_charset(g_mime_param_list_get_parameter(of_type, "name"), kCharset);
}

Reference<GMimeObject> attachment_part(const sdk::AttachmentContent& attachment) {
    Reference<GMimePart> part = part_of_type(attachment.content_type);
    set_content(part.get(), attachment.bytes, GMIME_CONTENT_ENCODING_BASE64);
    g_mime_object_set_disposition(GMIME_OBJECT(part.get()), GMIME_DISPOSITION_ATTACHMENT);
    std::string name = attachment.file_name;
    std::replace_if(
        name.begin(), name.end(),
        [](char c) {
            return has_control_character({&c, 1});
        },
        ' ');
    set_file_name(part.get(), name);
    return Reference<GMimeObject>(GMIME_OBJECT(part.release()));
}

Reference<GMimeObject> whole_body(const MailContent& content) {
    Reference<GMimeObject> body = body_of(content);
    if (content.attachments.empty()) return body;
    Reference<GMimeMultipart> mixed(g_mime_multipart_new_with_subtype("mixed"));
    g_mime_multipart_add(mixed.get(), body.get());
    for (const sdk::AttachmentContent& attachment : content.attachments)
        g_mime_multipart_add(mixed.get(), attachment_part(attachment).get());
    return Reference<GMimeObject>(GMIME_OBJECT(mixed.release()));
}

void set_headers(GMimeMessage* message, const MailContent& content, const std::string& message_id,
                 std::int64_t date_ms) {
    add_mailboxes(g_mime_message_get_from(message), {content.from});
    add_mailboxes(g_mime_message_get_reply_to(message), content.reply_to);
    add_mailboxes(g_mime_message_get_to(message), content.to);
    add_mailboxes(g_mime_message_get_cc(message), content.cc);
    if (!content.to_group.empty()) {
        const Reference<InternetAddress> group(
            internet_address_group_new(content.to_group.c_str()));
        internet_address_set_charset(group.get(), kCharset);
        internet_address_list_add(g_mime_message_get_to(message), group.get());
    }
    if (!content.subject.empty()) {
        g_mime_message_set_subject(message, content.subject.c_str(), kCharset);
    }
    GDateTime* date = g_date_time_new_from_unix_utc(date_ms / 1000);
    g_mime_message_set_date(message, date);
    g_date_time_unref(date);
    g_mime_message_set_message_id(message, message_id.c_str());
}

}  // namespace

void init_message_writer() {
    g_mime_init();
}

std::string write_message(const MailContent& content, const std::string& message_id,
                          std::int64_t date_ms) {
    const Reference<GMimeMessage> message(g_mime_message_new(TRUE));
    set_headers(message.get(), content, message_id, date_ms);
    g_mime_message_set_mime_part(message.get(), whole_body(content).get());

    const std::unique_ptr<GMimeFormatOptions, decltype(&g_mime_format_options_free)> format(
        g_mime_format_options_new(), &g_mime_format_options_free);
    g_mime_format_options_set_newline_format(format.get(), GMIME_NEWLINE_FORMAT_DOS);
    const Reference<GMimeStream> stream(g_mime_stream_mem_new());
    g_mime_object_write_to_stream(GMIME_OBJECT(message.get()), format.get(), stream.get());
    const GByteArray* bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream.get()));
    return std::string(reinterpret_cast<const char*>(bytes->data), bytes->len);
}

}  // namespace stele::email_providers
