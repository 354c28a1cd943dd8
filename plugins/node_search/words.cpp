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

}  // namespace

std::string folded(std::string_view text) {
    std::string result;
    return fold_unicode(text).toUTF8String(result);
}

std::vector<std::string> words_of(std::string_view text) {
    // By all rules one word, of which case is all that folds: ids, names and numbers.
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain))
        return {sdk::lower_case(text)};
    const icu::UnicodeString source = fold_unicode(text);
    icu::BreakIterator& breaks = word_breaks();
    breaks.setText(source);
    std::vector<std::string> words;
    std::int32_t begin = breaks.first();
    for (std::int32_t end = breaks.next(); end != icu::BreakIterator::DONE; end = breaks.next()) {
        if (breaks.getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
            source.tempSubStringBetween(begin, end).toUTF8String(words.emplace_back());
        }
        begin = end;
    }
    return words;
}

}  // namespace stele::node_search
