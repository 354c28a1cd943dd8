#include "attachment/text_recoder.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <unicode/ucnv.h>

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxCharsetLength = 60;
constexpr std::size_t kUnits = 4096;

/// Names go to a library that also takes options and other things behind them.
bool is_charset_name(const std::string& charset) {
    return !charset.empty() && charset.size() <= kMaxCharsetLength &&
           std::all_of(charset.begin(), charset.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == ':';
           });
}

}  // namespace

struct TextRecoder::State {
    struct Close {
        void operator()(UConverter* converter) const { ucnv_close(converter); }
    };
    std::unique_ptr<UConverter, Close> from;
    std::unique_ptr<UConverter, Close> to;
    std::array<UChar, kUnits> units{};
    UChar* next_read = units.data();
    UChar* next_written = units.data();
};

TextRecoder::TextRecoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextRecoder::TextRecoder(TextRecoder&& other) noexcept = default;
TextRecoder::~TextRecoder() = default;

bool is_utf8_charset(const std::string& charset) {
    return ucnv_compareNames(charset.c_str(), "UTF-8") == 0 ||
           ucnv_compareNames(charset.c_str(), "US-ASCII") == 0;
}

sdk::Result<TextRecoder> TextRecoder::open(const std::string& charset) {
    auto state = std::make_unique<State>();
    UErrorCode problem = U_ZERO_ERROR;
    if (is_charset_name(charset)) {
        state->from.reset(ucnv_open(charset.c_str(), &problem));
        state->to.reset(ucnv_open("UTF-8", &problem));
    }
    if (U_SUCCESS(problem) && state->from && state->to) return TextRecoder(std::move(state));
    return sdk::make_error(sdk::ErrorKind::unsupported, "nodes.attachment_charset_unknown",
                           "the charset of the text is not known here");
}

sdk::Result<void> TextRecoder::convert(std::string_view piece, bool is_last, std::string& out) {
    State& state = *state_;
    const char* source = piece.data();
    const char* const end = source + piece.size();
    std::array<char, kUnits> bytes;
    for (;;) {
        UErrorCode problem = U_ZERO_ERROR;
        char* target = bytes.data();
        ucnv_convertEx(state.to.get(), state.from.get(), &target, bytes.data() + bytes.size(),
                       &source, end, state.units.data(), &state.next_read, &state.next_written,
                       state.units.data() + state.units.size(), /*reset=*/false, is_last, &problem);
        out.append(bytes.data(), target);
        if (problem == U_BUFFER_OVERFLOW_ERROR) continue;
        if (U_SUCCESS(problem)) return {};
        return sdk::make_error(sdk::ErrorKind::invalid, "nodes.attachment_text_malformed",
                               "the text is not of the charset that its sender names",
                               u_errorName(problem));
    }
}

}  // namespace stele::nodes
