#include "words.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <stele/sdk/letter_case.hpp>

namespace stele::node_search {

namespace {

void check_icu(UErrorCode status) {
    if (U_FAILURE(status)) throw std::runtime_error(std::string("ICU: ") + u_errorName(status));
}

icu::UnicodeString fold_unicode(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* fold = icu::Normalizer2::getNFKCCasefoldInstance(status);
    check_icu(status);
    const auto source = icu::UnicodeString::fromUTF8(
        icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    icu::UnicodeString result = fold->normalize(source, status);
    check_icu(status);
    return result;
}

/// Making one reads tables, hence one per thread.
icu::BreakIterator& word_breaks() {
    thread_local const std::unique_ptr<icu::BreakIterator> breaks = [] {
        UErrorCode status = U_ZERO_ERROR;
        std::unique_ptr<icu::BreakIterator> made(
            icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
        check_icu(status);
        return made;
    }();
    return *breaks;
}

bool is_plain(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
}

constexpr std::string_view kBlanks = " \t\r\n";

/// Without what cannot belong to a word at either end. Beside letters and digits, of ASCII only a
/// low line and, for ICU, an at sign can; other signs join where both sides have these.
std::string_view without_signs(std::string_view part) {
    const auto may_belong = [](char byte) { return is_plain(byte) || byte == '_' || byte == '@'; };
    const auto begin = std::find_if(part.begin(), part.end(), may_belong);
    const auto end = std::find_if(part.rbegin(), part.rend(), may_belong).base();
    return begin < end ? std::string_view(begin, end) : std::string_view();
}

void add_words(const icu::UnicodeString& source, std::vector<std::string>& words) {
    icu::BreakIterator& breaks = word_breaks();
    breaks.setText(source);
    std::int32_t begin = breaks.first();
    for (std::int32_t end = breaks.next(); end != icu::BreakIterator::DONE; end = breaks.next()) {
        if (breaks.getRuleStatus() >= UBRK_WORD_NONE_LIMIT)
            source.tempSubStringBetween(begin, end).toUTF8String(words.emplace_back());
        begin = end;
    }
}

}  // namespace

std::string folded(std::string_view text) {
    std::string result;
    return fold_unicode(text).toUTF8String(result);
}

std::vector<std::string> words_by_rules(std::string_view text) {
    std::vector<std::string> words;
    add_words(fold_unicode(text), words);
    return words;
}

/// Blanks end words by all rules, and of letters and digits of ASCII only the case folds: what has
/// nothing else between blanks is a word.
std::vector<std::string> words_of(std::string_view text) {
    if (!std::all_of(text.begin(), text.end(), is_ascii)) return words_by_rules(text);
    std::vector<std::string> words;
    for (std::size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;
         begin = text.find_first_not_of(kBlanks, begin)) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
        const std::string_view part = without_signs(text.substr(begin, end - begin));
        begin = end;
        if (part.empty()) continue;
        if (std::all_of(part.begin(), part.end(), is_plain)) {
            words.push_back(sdk::lower_case(part));
        } else {
            add_words(fold_unicode(part), words);
        }
    }
    return words;
}

}  // namespace stele::node_search
