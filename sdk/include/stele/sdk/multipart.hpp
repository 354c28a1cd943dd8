#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// One part of a form, before its body is read. All texts are UTF-8 without control characters.
struct FormPart {
    std::string name;
    /// As the sender named the file: not safe as a path. Nothing where the part is a plain field.
    std::optional<std::string> file_name;
    /// As sent; empty when the part does not say.
    std::string content_type;
};

/// Reads `multipart/form-data` (RFC 7578) piece by piece: memory does not grow with the parts.
/// Every failure of the form is `invalid` with `http.multipart_malformed`, and final.
class MultipartReader {
public:
    static constexpr std::size_t kMaxHeaderBytes = 16 * 1024;

    /// `content_type` is the request's header; `unsupported` (`http.multipart_expected`) when it
    /// names no form with a boundary. More than `most_parts` are `too_large`
    /// (`http.multipart_too_long`). `upload` must outlive the reader.
    static Result<MultipartReader> open(Upload& upload, std::string_view content_type,
                                        std::size_t most_parts);

    /// The next part, nothing after the last one. Skips what is left of the part before.
    Result<std::optional<FormPart>> next();
    /// Replaces `piece` with what comes next of the part's body; empty at its end.
    Result<void> read(std::string& piece);
    /// Where in the upload lies what `read` gives next: a part's body is there in one piece, as it
    /// is. Once there was a part.
    std::uint64_t position() const { return arrived_ - input().size(); }

private:
    enum class State { preamble, body, between, end };
    /// What stands where the delimiter's text was found.
    enum class Mark { text, part, close, unknown };

    MultipartReader(Upload& upload, std::string_view boundary, std::size_t most_parts);

    Result<void> fill();
    Result<void> advance(std::string& piece);
    Result<FormPart> read_header();
    Mark mark_at(std::size_t position, std::size_t& end) const;
    std::size_t possible_delimiter() const;
    void take(std::size_t count, std::string& piece);
    /// What has come and is not consumed.
    std::string_view input() const { return std::string_view(input_).substr(begin_); }

    Upload* upload_;
    std::string delimiter_;  ///< with the line end before it
    std::size_t most_parts_;
    std::size_t parts_ = 0;
    std::string input_;
    std::size_t begin_ = 0;
    std::string fresh_;
    std::uint64_t arrived_ = 0;
    bool is_at_end_ = false;
    State state_ = State::preamble;
    std::optional<Error> failure_;
};

}  // namespace stele::sdk
