#pragma once

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Beast.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <optional>
#include <string_view>

#include "kernel/http/message/message.hpp"
#include "kernel/http/message/message_buffer.hpp"
#include "kernel/http/message/request_parser.hpp"

namespace stele::kernel::http {

/// Beast's parser with callbacks that only keep views. The header is given to it complete and in
/// one piece; afterwards it decodes chunks.
class HeadParser final : public boost::beast::http::basic_parser<true> {
public:
    using Code = boost::beast::error_code;
    using Text = boost::beast::string_view;

    /// `head` is what `put` is going to get; views must lie in it.
    HeadParser(Request& request, MessageBuffer& body, std::string_view head)
        : request_(request), body_(body), head_(head) {}

    bool is_http_1_0() const { return version_ == 10; }
    bool has_host() const { return hosts_ == 1; }
    /// Whether something is expected that this server does not do (RFC 9110, 10.1.1).
    bool expects_unknown() const { return expects_unknown_; }
    /// Set when the callbacks refused something that Beast would have accepted.
    const std::optional<WireFailure>& failure() const { return failure_; }

private:
    void on_request_impl(boost::beast::http::verb verb, Text method, Text target, int version,
                         Code& code) override;
    void on_response_impl(int, Text, int, Code&) override {}
    void on_field_impl(boost::beast::http::field field, Text name, Text value, Code& code) override;
    void on_header_impl(Code&) override { header_is_done_ = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
    std::size_t on_body_impl(Text text, Code&) override { return text.size(); }
    void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text text, Code&) override;
    void on_finish_impl(Code&) override {}

    void refuse(Code& code, int status, std::string error_code, std::string message);
    bool set_target(std::string_view target);
    bool is_folded(std::string_view name, std::string_view value) const;

    Request& request_;
    MessageBuffer& body_;
    std::string_view head_;
    std::optional<WireFailure> failure_;
    int version_ = 11;
    int hosts_ = 0;
    bool expects_unknown_ = false;
    bool header_is_done_ = false;
};

/// Keeps Beast out of request_parser.hpp.
class RequestHead {
public:
    std::optional<HeadParser> parser;
};

}  // namespace stele::kernel::http
