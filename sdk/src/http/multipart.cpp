#include <stele/sdk/multipart.hpp>

#include <algorithm>
#include <utility>

#include "multipart_header.hpp"

namespace stele::sdk {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";
/// Blanks that may follow a delimiter on its line (RFC 2046, 5.1.1).
constexpr std::size_t kMaxPadding = 256;

}  // namespace

MultipartReader::MultipartReader(Upload& upload, std::string_view boundary, std::size_t most_parts)
    : upload_(&upload),
      delimiter_("\r\n--" + std::string(boundary)),
      most_parts_(most_parts),
      // The first delimiter has no line before it.
      input_(kLineEnd) {}

Result<MultipartReader> MultipartReader::open(Upload& upload, std::string_view content_type,
                                              std::size_t most_parts) {
    const auto boundary = form_boundary(content_type);
    if (!boundary) {
        return make_error(ErrorKind::unsupported, "http.multipart_expected",
                          "the body must be multipart/form-data with a boundary");
    }
    return MultipartReader(upload, *boundary, most_parts);
}

Result<void> MultipartReader::fill() {
    if (auto read = upload_->read(fresh_); !read) return read;
    is_at_end_ = fresh_.empty();
    arrived_ += fresh_.size();
    input_.erase(0, begin_);
    begin_ = 0;
    input_ += fresh_;
    return {};
}

void MultipartReader::take(std::size_t count, std::string& piece) {
    piece += input().substr(0, count);
    begin_ += count;
}

/// Bytes before which no delimiter begins, whatever comes next.
std::size_t MultipartReader::possible_delimiter() const {
    const std::string_view text = input();
    const std::size_t longest = std::min(text.size(), delimiter_.size() - 1);
    for (std::size_t at = text.size() - longest; at < text.size(); ++at) {
        if (delimiter_.starts_with(text.substr(at))) return at;
    }
    return text.size();
}

/// Looks at the line behind a delimiter's text. `end` is where the line's end begins, or where the
/// input does.
MultipartReader::Mark MultipartReader::mark_at(std::size_t position, std::size_t& end) const {
    const std::string_view rest = input().substr(position + delimiter_.size());
    const bool is_cut = !is_at_end_;
    if (rest.size() < 2 && is_cut) return Mark::unknown;
    const bool is_close = rest.starts_with("--");
    const std::size_t dashes = is_close ? 2 : 0;
    const std::size_t blanks = std::min(rest.find_first_not_of(" \t", dashes), rest.size());
    if (blanks > dashes + kMaxPadding) return Mark::text;
    const std::string_view line_end = rest.substr(blanks, kLineEnd.size());
    end = position + delimiter_.size() + blanks;
    if (line_end == kLineEnd) return is_close ? Mark::close : Mark::part;
    if (is_cut && kLineEnd.starts_with(line_end)) return Mark::unknown;
    return is_close && line_end.empty() ? Mark::close : Mark::text;
}

/// One step through a body or the preamble: appends to `piece`, or gets to a delimiter.
Result<void> MultipartReader::advance(std::string& piece) {
    const std::size_t found = input().find(delimiter_);
    if (found == std::string::npos) {
        if (is_at_end_) return malformed_form("the form ends before its last delimiter");
        const std::size_t known = possible_delimiter();
        if (known == 0) return fill();
        take(known, piece);
        return {};
    }
    std::size_t end = 0;
    const Mark mark = mark_at(found, end);
    if (mark == Mark::text) {
        take(found + delimiter_.size(), piece);
        return {};
    }
    if (found > 0) {
        take(found, piece);
        return {};
    }
    if (mark == Mark::unknown) return fill();
    begin_ += end;
    state_ = mark == Mark::close ? State::end : State::between;
    return {};
}

/// The input begins with the end of the delimiter's line.
Result<FormPart> MultipartReader::read_header() {
    std::size_t end = input().find(kHeaderEnd);
    while (end == std::string_view::npos && input().size() <= kMaxHeaderBytes && !is_at_end_) {
        if (auto filled = fill(); !filled) return filled.error();
        end = input().find(kHeaderEnd);
    }
    if (std::min(end, input().size()) > kMaxHeaderBytes) {
        return malformed_form("a part's header is longer than 16 KiB");
    }
    if (end == std::string_view::npos) return malformed_form("the form ends in a part's header");
    auto part = parse_part_header(input().substr(kLineEnd.size(), end));
    if (!part) return part;
    // What ends the header may begin the delimiter of an empty part.
    begin_ += end + kLineEnd.size();
    while (input().size() < delimiter_.size() + kMaxPadding + kHeaderEnd.size() && !is_at_end_) {
        if (auto filled = fill(); !filled) return filled.error();
    }
    std::size_t unused = 0;
    const bool is_empty = input().starts_with(delimiter_) && mark_at(0, unused) != Mark::text;
    if (!is_empty) begin_ += kLineEnd.size();
    return part;
}

Result<std::optional<FormPart>> MultipartReader::next() {
    std::string skipped;
    while (!failure_ && (state_ == State::preamble || state_ == State::body)) {
        skipped.clear();
        if (auto advanced = advance(skipped); !advanced) failure_ = advanced.error();
    }
    if (!failure_ && state_ == State::end) return std::optional<FormPart>();
    if (!failure_ && parts_ == most_parts_) {
        failure_ = make_error(ErrorKind::too_large, "http.multipart_too_long",
                              "the form has more than " + std::to_string(most_parts_) + " parts");
    }
    if (failure_) return *failure_;
    ++parts_;
    auto part = read_header();
    if (!part) {
        failure_ = part.error();
        return *failure_;
    }
    state_ = State::body;
    return std::optional(std::move(*part));
}

Result<void> MultipartReader::read(std::string& piece) {
    piece.clear();
    while (!failure_ && state_ == State::body && piece.empty()) {
        if (auto advanced = advance(piece); !advanced) failure_ = advanced.error();
    }
    if (failure_) return *failure_;
    return {};
}

}  // namespace stele::sdk
