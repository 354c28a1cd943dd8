#include "kernel/pagination/collation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <unicode/coll.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

namespace stele::kernel::pagination {

namespace {

constexpr std::size_t kMaxLocaleLength = 64;
constexpr std::size_t kKept = 64;

class IcuCollation final : public Collation {
public:
    explicit IcuCollation(std::unique_ptr<const icu::Collator> collator)
        : collator_(std::move(collator)) {}

    void append_key(std::string_view text, std::string& key) const override {
        const icu::UnicodeString characters = icu::UnicodeString::fromUTF8(
            icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
        const std::size_t begin = key.size();
        std::size_t room = 2 * text.size() + 16;
        std::size_t size = write(characters, key, begin, room);
        if (size > room) size = write(characters, key, begin, size);
        key.resize(begin + size);
        if (size == 0) key.push_back('\0');
    }

private:
    std::size_t write(const icu::UnicodeString& characters, std::string& key, std::size_t begin,
                      std::size_t room) const {
        key.resize(begin + room);
        return static_cast<std::size_t>(
            collator_->getSortKey(characters, reinterpret_cast<std::uint8_t*>(key.data() + begin),
                                  static_cast<std::int32_t>(room)));
    }

    std::unique_ptr<const icu::Collator> collator_;
};

void set_attributes(icu::Collator& collator, const sdk::SortOptions& options, UErrorCode& status) {
    const bool is_case_sensitive = options.case_first != sdk::CaseFirst::unspecified;
    collator.setStrength(is_case_sensitive ? icu::Collator::TERTIARY : icu::Collator::SECONDARY);
    collator.setAttribute(UCOL_NUMERIC_COLLATION, options.numeric_ordering ? UCOL_ON : UCOL_OFF,
                          status);
    if (!is_case_sensitive) return;
    const bool is_upper = options.case_first == sdk::CaseFirst::upper;
    collator.setAttribute(UCOL_CASE_FIRST, is_upper ? UCOL_UPPER_FIRST : UCOL_LOWER_FIRST, status);
}

std::unique_ptr<icu::Collator> open(const icu::Locale& locale, UErrorCode& status) {
    return std::unique_ptr<icu::Collator>(icu::Collator::createInstance(locale, status));
}

sdk::Result<std::shared_ptr<const Collation>> make(const sdk::SortOptions& options) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Locale locale = icu::Locale::createFromName(options.locale.c_str());
    auto collator = open(locale.isBogus() ? icu::Locale::getRoot() : locale, status);
    if (U_FAILURE(status)) {
        // A well-formed locale with keywords that ICU cannot make sense of.
        status = U_ZERO_ERROR;
        collator = open(icu::Locale(locale.getLanguage()), status);
    }
    if (U_SUCCESS(status)) set_attributes(*collator, options, status);
    if (U_FAILURE(status))
        return sdk::make_error(sdk::ErrorKind::internal, "page.collation_unavailable",
                               "The order of the locale is not available.", u_errorName(status));
    return std::make_shared<const IcuCollation>(std::move(collator));
}

/// Collators used lately. Opening one takes up to 100 microseconds.
class CollationCache {
public:
    using Shared = std::shared_ptr<const Collation>;

    Shared find(const std::string& name) {
        const std::lock_guard lock(mutex_);
        const auto at = places_.find(name);
        if (at == places_.end()) return nullptr;
        used_.splice(used_.begin(), used_, at->second);
        return at->second->second;
    }

    void keep(const std::string& name, Shared collation) {
        const std::lock_guard lock(mutex_);
        if (places_.contains(name)) return;
        used_.emplace_front(name, std::move(collation));
        places_.emplace(name, used_.begin());
        if (used_.size() <= kKept) return;
        places_.erase(used_.back().first);
        used_.pop_back();
    }

private:
    using Entry = std::pair<std::string, Shared>;

    std::mutex mutex_;
    std::list<Entry> used_;
    std::unordered_map<std::string, std::list<Entry>::iterator> places_;
};

}  // namespace

bool is_locale(std::string_view text) {
    constexpr std::string_view kSigns = "_@=;-";
    return !text.empty() && text.size() <= kMaxLocaleLength &&
           std::all_of(text.begin(), text.end(), [kSigns](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      kSigns.find(c) != std::string_view::npos;
           });
}

sdk::Result<std::shared_ptr<const Collation>> Collation::find(const sdk::SortOptions& options) {
    static CollationCache cache;
    if (!is_locale(options.locale))
        return sdk::make_error(
            {{"options.locale", "page.locale_invalid", "is not the name of a locale"}});
    std::string name = options.locale;
    name.push_back(options.numeric_ordering ? '#' : ' ');
    name += std::to_string(static_cast<int>(options.case_first));
    if (auto known = cache.find(name)) return known;
    auto made = make(options);
    if (made) cache.keep(name, *made);
    return made;
}

}  // namespace stele::kernel::pagination
