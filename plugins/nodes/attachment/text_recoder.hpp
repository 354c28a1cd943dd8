#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Turns text of some charset into UTF-8, piece by piece. What cannot be read becomes U+FFFD.
class TextRecoder {
public:
    /// `unsupported` (`nodes.attachment_charset_unknown`).
    static sdk::Result<TextRecoder> open(const std::string& charset);
    TextRecoder(TextRecoder&& other) noexcept;
    ~TextRecoder();

    /// Appends what is complete to `out`; with the last piece, everything.
    sdk::Result<void> convert(std::string_view piece, bool is_last, std::string& out);

private:
    struct State;
    explicit TextRecoder(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

/// Whether text of the charset is UTF-8 as it is.
bool is_utf8_charset(const std::string& charset);

}  // namespace stele::nodes
