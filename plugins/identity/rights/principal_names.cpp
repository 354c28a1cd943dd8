#include "principal_names.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include <unicode/uchar.h>
#include <unicode/uspoof.h>
#include <unicode/utf8.h>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "principal_lookup.hpp"

namespace stele::identity {

namespace {

constexpr char kNameSpace[] = "identity.names";
/// Whoever is called so acts as the server in every record that tells who has changed it.
constexpr const char* kReserved[] = {"system", "anonymous"};
/// Rows of a page; a domain may have many principals.
constexpr std::int64_t kNamePage = 500;

/// Knows which characters look alike; may be used by many threads as it never changes.
const USpoofChecker* spoof_checker() {
    struct Close {
        void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
    };
    static const std::unique_ptr<USpoofChecker, Close> kChecker = [] {
        UErrorCode status = U_ZERO_ERROR;
        std::unique_ptr<USpoofChecker, Close> checker(uspoof_open(&status));
        if (checker) uspoof_setChecks(checker.get(), USPOOF_INVISIBLE, &status);
        if (U_FAILURE(status)) throw std::runtime_error("ICU has no table of confusables");
        return checker;
    }();
    return kChecker.get();
}

bool is_visible(UChar32 c) {
    switch (u_charType(c)) {
        case U_CONTROL_CHAR:
        case U_FORMAT_CHAR:
        case U_SURROGATE:
        case U_PRIVATE_USE_CHAR:
        case U_UNASSIGNED:
        case U_LINE_SEPARATOR:
        case U_PARAGRAPH_SEPARATOR:
            return false;
        default:
            return !u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) &&
                   (c == ' ' || !u_isUWhiteSpace(c));
    }
}

bool is_all_visible(std::string_view name) {
    const auto size = static_cast<std::int32_t>(name.size());
    for (std::int32_t i = 0; i < size;) {
        UChar32 c = 0;
        U8_NEXT(name.data(), i, size, c);
        if (c < 0 || !is_visible(c)) return false;
    }
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t found =
        uspoof_checkUTF8(spoof_checker(), name.data(), size, nullptr, &status);
    return U_SUCCESS(status) && found == 0;
}

std::string name_key(sdk::Context& context, std::string_view domain_id, std::string_view skeleton) {
    // A digest, because a name may be longer than a key.
    const std::string digest = skeleton.empty() ? std::string() : sdk::token_digest(skeleton);
    return sdk::KeyWriter(context.key_space(kNameSpace)).text(domain_id).text(digest).key();
}

/// The principal that has the skeleton in the domain. A row may be left of one that is gone, or has
/// another name now, with its domain or else.
sdk::Result<std::optional<sdk::RecordKey>> owner_of(sdk::Context& context,
                                                    std::string_view domain_id,
                                                    const std::string& skeleton) {
    auto key = context.transaction().get(name_key(context, domain_id, skeleton));
    if (!key) return key.error();
    if (!*key) return std::optional<sdk::RecordKey>();
    auto owner = context.documents().read(sdk::RecordKey(**key));
    if (!owner && sdk::is_missing(owner.error())) return std::optional<sdk::RecordKey>();
    if (!owner) return owner.error();
    const bool is_present = sdk::text_member(owner->fields, "domainId") == domain_id &&
                            name_skeleton(sdk::text_member(owner->fields, "name")) == skeleton;
    return is_present ? std::move(*key) : std::optional<sdk::RecordKey>();
}

/// Domains of earlier versions get their rows when the first name is taken.
sdk::Result<void> note_present_names(sdk::Context& context, const std::string& domain_id) {
    // No name has an empty skeleton.
    const std::string marker = name_key(context, domain_id, "");
    auto noted = context.transaction().get(marker);
    if (!noted) return noted.error();
    if (*noted) return {};
    context.transaction().put(marker, {});
    sdk::PageRequest page;
    page.limit = kNamePage;
    while (true) {
        auto found = context.as_system().documents().query({kPrincipalType, domain_id},
                                                           sdk::Json::object(), page);
        if (!found) return found.error();
        for (const sdk::Document& row : found->rows) {
            const std::string skeleton = name_skeleton(sdk::text_member(row.fields, "name"));
            auto owner = owner_of(context, domain_id, skeleton);
            if (!owner) return owner.error();
            if (!*owner) context.transaction().put(name_key(context, domain_id, skeleton), row.key);
        }
        if (found->rows.size() < static_cast<std::size_t>(kNamePage)) return {};
        page.skip += found->rows.size();
    }
}

bool is_reserved(const std::string& skeleton) {
    return std::any_of(std::begin(kReserved), std::end(kReserved),
                       [&](const char* name) { return name_skeleton(name) == skeleton; });
}

}  // namespace

std::string name_problem(std::string_view name) {
    if (name.empty() || name.find('/') != std::string_view::npos) {
        return "name must not be empty, nor hold a slash or control characters";
    }
    if (name.front() == ' ' || name.back() == ' ') {
        return "name must not begin or end with a blank";
    }
    if (name.find("  ") != std::string_view::npos) {
        return "name must not hold several blanks in a row";
    }
    if (!is_all_visible(name)) {
        return "name must not hold control characters, nor others that cannot be seen";
    }
    return {};
}

std::string name_skeleton(std::string_view name) {
    const auto size = static_cast<std::int32_t>(name.size());
    std::string skeleton(2 * name.size() + 16, '\0');
    for (int tries = 0; tries < 2; ++tries) {
        UErrorCode status = U_ZERO_ERROR;
        const std::int32_t length =
            uspoof_getSkeletonUTF8(spoof_checker(), 0, name.data(), size, skeleton.data(),
                                   static_cast<std::int32_t>(skeleton.size()), &status);
        const bool fits = length <= static_cast<std::int32_t>(skeleton.size());
        if (!fits) skeleton.resize(static_cast<std::size_t>(length));
        if (!fits) continue;
        if (U_FAILURE(status)) break;
        skeleton.resize(static_cast<std::size_t>(length));
        return skeleton;
    }
    return std::string(name);
}

sdk::Result<bool> has_lookalike(sdk::Context& context, std::string_view domain_id,
                                std::string_view name, const sdk::RecordKey& self) {
    auto owner = owner_of(context, domain_id, name_skeleton(name));
    if (!owner) return owner.error();
    return *owner && **owner != self;
}

sdk::Result<void> take_name(sdk::Context& context, const sdk::Document& principal) {
    const std::string name = sdk::text_member(principal.fields, "name");
    const std::string domain_id = sdk::text_member(principal.fields, "domainId");
    const std::string skeleton = name_skeleton(name);
    if (auto noted = note_present_names(context, domain_id); !noted) return noted;
    auto is_taken = has_lookalike(context, domain_id, name, principal.key);
    if (!is_taken) return is_taken.error();
    if (*is_taken || (is_reserved(skeleton) && !context.session().is_system)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "identity.principal_name_confusable",
                               "another principal has a name that looks the same");
    }
    context.transaction().put(name_key(context, domain_id, skeleton), principal.key);
    return {};
}

sdk::Result<void> leave_name(sdk::Context& context, const sdk::Document& principal) {
    const std::string name = sdk::text_member(principal.fields, "name");
    const std::string key =
        name_key(context, sdk::text_member(principal.fields, "domainId"), name_skeleton(name));
    auto owner = context.transaction().get(key);
    if (!owner) return owner.error();
    if (*owner == principal.key) context.transaction().remove(key);
    return {};
}

}  // namespace stele::identity
