#include <stele/sdk/reply.hpp>

#include <algorithm>
#include <cassert>

#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

void append_page_end(std::string& body, std::uint64_t total_rows, std::uint64_t offset,
                     std::size_t size) {
    body += ",\"total_rows\":";
    body += std::to_string(total_rows);
    body += ",\"offset\":";
    body += std::to_string(offset);
    body += ",\"size\":";
    body += std::to_string(size);
    body += '}';
}

}  // namespace

Reply Reply::json(const Json& object) {
    return json_text(dump_json(object));
}

Reply Reply::json_text(std::string text) {
    Reply reply;
    reply.body_ = std::move(text);
    return reply;
}

Reply Reply::status() {
    return json_text("{\"ok\":true}");
}

Reply Reply::status(const Json& members) {
    assert(members.is_object());
    std::string body = "{\"ok\":true";
    for (const auto& [name, value] : members.items()) {
        if (name == "ok") continue;
        body += ',';
        append_json_string(body, name);
        body += ':';
        append_json(body, value);
    }
    body += '}';
    return json_text(std::move(body));
}

Reply Reply::page(const Json& rows, std::uint64_t total_rows, std::uint64_t offset) {
    assert(rows.is_array());
    std::string body = "{\"rows\":" + dump_json(rows);
    append_page_end(body, total_rows, offset, rows.size());
    return json_text(std::move(body));
}

Reply Reply::page_of(const Json& all_rows, const PageRequest& page) {
    assert(all_rows.is_array());
    const std::uint64_t total = all_rows.size();
    const std::uint64_t begin = std::min<std::uint64_t>(page.skip, total);
    const std::uint64_t wanted = page.limit < 0 ? total : static_cast<std::uint64_t>(page.limit);
    const std::uint64_t end = begin + std::min(wanted, total - begin);

    std::string body = "{\"rows\":[";
    for (std::uint64_t i = begin; i < end; ++i) {
        if (i != begin) body += ',';
        append_json(body, all_rows[i]);
    }
    body += ']';
    append_page_end(body, total, page.skip, end - begin);
    Reply reply = json_text(std::move(body));
    const bool is_sortable = std::all_of(all_rows.begin(), all_rows.end(),
                                         [](const Json& row) { return row.is_object(); });
    if (!page.sort.empty() && is_sortable)
        reply.unsorted_rows_ = std::make_shared<const Json>(all_rows);
    return reply;
}

Reply Reply::text(std::string text, std::string content_type) {
    Reply reply = json_text(std::move(text));
    reply.content_type_ = std::move(content_type);
    return reply;
}

Reply Reply::redirect(std::string location) {
    Reply reply = status();
    reply.is_redirect_ = true;
    reply.header("Location", std::move(location));
    return reply;
}

Reply Reply::stream(BodySource source, std::string content_type) {
    Reply reply;
    reply.source_ = std::move(source);
    reply.content_type_ = std::move(content_type);
    return reply;
}

Reply Reply::download(RangeSource open, std::uint64_t size, std::string content_type) {
    Reply reply;
    reply.ranges_ = std::move(open);
    reply.size_ = size;
    reply.content_type_ = std::move(content_type);
    return reply;
}

Reply& Reply::file(FileSource open) & {
    file_ = std::move(open);
    return *this;
}

Reply& Reply::header(std::string name, std::string value) & {
    headers_.emplace_back(std::move(name), std::move(value));
    return *this;
}

Reply&& Reply::header(std::string name, std::string value) && {
    headers_.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
}

Reply& Reply::etag(std::string value) & {
    etag_ = std::move(value);
    return *this;
}

}  // namespace stele::sdk
