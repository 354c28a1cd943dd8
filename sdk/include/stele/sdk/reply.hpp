#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>

namespace stele::sdk {

class FileReader;

/// Gives the next piece of a long body: appends to `out` and answers true while more may follow.
/// Called on a worker thread, one call at a time, only as fast as the caller reads.
using BodySource = std::function<Result<bool>(std::string& out)>;

/// What an operation answers on success. No status number, no protocol
/// (docs/specification/platform.md 0.1).
class Reply {
public:
    /// A JSON object.
    static Reply json(const Json& object);
    /// JSON text that is already serialized.
    static Reply json_text(std::string text);
    /// `{"ok":true}` and the given members after it; `_doc` names the record concerned.
    static Reply status();
    static Reply status(const Json& members);
    /// `rows`, `total_rows`, `offset`, `size` from complete rows
    /// (docs/specification/platform.md 1.2).
    static Reply page(const Json& rows, std::uint64_t total_rows, std::uint64_t offset);
    /// Rows that are all here; cuts the wanted slice out of them. For short lists only. Where the
    /// page wants an order the kernel sorts them before (`unsorted_rows`).
    static Reply page_of(const Json& all_rows, const PageRequest& page);
    /// Text that is no JSON, a web page for instance.
    static Reply text(std::string text, std::string content_type);
    /// Leads a browser on to an absolute address, which it gets with GET, whatever it sent here.
    /// `location` holds no control characters and must not stem from a caller unchecked.
    static Reply redirect(std::string location);
    /// A streamed body.
    static Reply stream(BodySource source, std::string content_type);
    /// Bytes of a known number, of which a caller may want a part (`Range`): `open` gives those
    /// from `first` to before `end`, and is called on a worker, at most once. With an ETag callers
    /// can go on with a download that broke off.
    using RangeSource = std::function<BodySource(std::uint64_t first, std::uint64_t end)>;
    static Reply download(RangeSource open, std::uint64_t size, std::string content_type);
    /// The same bytes where they may lie in a file: null, or `not_found`, and they come from the
    /// `RangeSource`. Called any number of times; unless it `may_wait`, on an I/O thread.
    using FileSource = std::function<Result<std::shared_ptr<FileReader>>(bool may_wait)>;
    Reply& file(FileSource open) &;

    /// Adds a header line, for instance `Set-Cookie`. Repeatable.
    Reply& header(std::string name, std::string value) &;
    Reply&& header(std::string name, std::string value) &&;
    /// A strong ETag of the whole reply; the kernel answers 304 to whoever has it. A reply with
    /// computed parts, which change without the version, has its tag as a plain `header`: it serves
    /// `If-Match` and is never answered by 304.
    Reply& etag(std::string value) &;

    /// The rows of `page_of` that are not in the order which the page wants; null: nothing to do.
    const std::shared_ptr<const Json>& unsorted_rows() const { return unsorted_rows_; }

    const std::string& body() const { return body_; }
    void replace_body(std::string text) { body_ = std::move(text); }
    std::string take_body() { return std::move(body_); }
    const BodySource& source() const { return source_; }
    /// Set for downloads only, whose number of bytes is `size`.
    const RangeSource& ranges() const { return ranges_; }
    const FileSource& file() const { return file_; }
    std::uint64_t size() const { return size_; }
    const std::string& content_type() const { return content_type_; }
    std::string take_content_type() { return std::move(content_type_); }
    const std::string& etag_value() const { return etag_; }
    bool is_redirect() const { return is_redirect_; }
    using Headers = std::vector<std::pair<std::string, std::string>>;
    const Headers& headers() const { return headers_; }
    Headers take_headers() { return std::move(headers_); }

private:
    std::string body_;
    std::shared_ptr<const Json> unsorted_rows_;
    BodySource source_;
    RangeSource ranges_;
    FileSource file_;
    std::uint64_t size_ = 0;
    std::string content_type_ = "application/json;charset=UTF-8";
    std::string etag_;
    bool is_redirect_ = false;
    std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace stele::sdk
