#include "login_guard.hpp"

#include <algorithm>

#include <stele/sdk/call.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/callers.hpp>
#include <stele/sdk/time.hpp>

#include "known_addresses.hpp"
#include "rights/principal_lookup.hpp"
#include "token/token_request.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kPairs = 65'536;
constexpr std::size_t kAccounts = 16'384;
/// What strangers may fail together at one account, or one address at several, against what one
/// address may at one account.
constexpr std::uint32_t kAccountFactor = 4;
constexpr std::uint32_t kAddressFactor = 10;
/// Strangers, and those who share the address of the user, make nobody wait longer.
constexpr std::int64_t kMaxForOthersMs = 60'000;

sdk::Error must_wait(std::int64_t ms) {
    const std::int64_t seconds = (ms + 999) / 1000;
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::limited, "identity.authentication_guesses_exceeded",
                        "there were too many failed logins; the next one may come in " +
                            std::to_string(seconds) + " s");
    error.retry_after_seconds = static_cast<int>(seconds);
    return error;
}

bool is_failure(const sdk::Error& error) {
    using enum sdk::ErrorKind;
    return error.kind == invalid || error.kind == unauthenticated;
}

/// The same account whatever form its name is given in, whether there is one or not.
sdk::Result<std::string> account_name(sdk::Context& context, std::string_view username) {
    const auto [domain, name] = split_qualified(username);
    auto record = context.documents().read({kDomainType, ""}, domain.empty() ? kPrimary : domain);
    if (!record && !sdk::is_missing(record.error())) return record.error();
    return (record ? record->id : std::string(domain)) + "/" + std::string(name);
}

}  // namespace

LoginGuard::LoginGuard(sdk::Registrar& registrar, GuessRules rules)
    : callers_(registrar.find<sdk::Callers>()),
      rules_(rules),
      pairs_(kPairs),
      accounts_(kAccounts),
      addresses_(kAccounts) {}

sdk::Result<LoginGuard::Subjects> LoginGuard::subjects_of(sdk::Context& context,
                                                          std::string_view username,
                                                          const std::string& address) const {
    Subjects subjects;
    subjects.address = address;
    auto user = find_principal_record(context, username);
    if (!user && !sdk::is_missing(user.error())) return user.error();
    if (user) {
        const sdk::Principal principal = principal_of(*user);
        auto guest = is_guest(context, principal);
        if (!guest) return guest.error();
        // Its password is no secret, and everybody is the guest.
        if (*guest) return Subjects();
        subjects.account = principal.qualified_name();
        auto known = is_known_address(context, principal.key, address);
        if (!known) return known.error();
        subjects.is_known = *known;
    } else {
        auto name = account_name(context, username);
        if (!name) return name.error();
        subjects.account = *std::move(name);
    }
    subjects.account = std::to_string(context.platform().number) + " " + subjects.account;
    subjects.pair = subjects.account + "\n" + address;
    return subjects;
}

sdk::Result<void> LoginGuard::take(const Subjects& subjects) {
    const std::int64_t now = sdk::now_ms();
    const std::int64_t for_others = std::min(kMaxForOthersMs, rules_.longest_ms);
    const Patience alone{rules_.free, subjects.is_known ? for_others : rules_.longest_ms};
    if (const auto wait = pairs_.take(subjects.pair, alone, now)) return must_wait(wait);
    if (subjects.is_known) return {};
    const Patience together{rules_.free * kAccountFactor, for_others};
    if (const auto wait = accounts_.take(subjects.account, together, now)) {
        pairs_.give_back(subjects.pair);
        return must_wait(wait);
    }
    const Patience anywhere{rules_.free * kAddressFactor, for_others};
    if (const auto wait = addresses_.take(subjects.address, anywhere, now)) {
        accounts_.give_back(subjects.account);
        pairs_.give_back(subjects.pair);
        return must_wait(wait);
    }
    return {};
}

void LoginGuard::give_back(const Subjects& subjects) {
    pairs_.give_back(subjects.pair);
    if (subjects.is_known) return;
    accounts_.give_back(subjects.account);
    addresses_.give_back(subjects.address);
}

/// The wait begins with the answer.
void LoginGuard::fail(const Subjects& subjects) {
    const std::int64_t now = sdk::now_ms();
    pairs_.note_failed(subjects.pair, now);
    if (subjects.is_known) return;
    accounts_.note_failed(subjects.account, now);
    addresses_.note_failed(subjects.address, now);
}

sdk::Result<sdk::Principal> LoginGuard::log_in(
    sdk::Context& context, const sdk::Call& call, std::string_view username,
    const std::function<sdk::Result<sdk::Principal>()>& check) {
    if (rules_.free == 0) return check();
    const std::string address = callers_ ? callers_->network(call) : std::string();
    auto subjects = subjects_of(context, username, address);
    if (!subjects) return subjects.error();
    if (subjects->pair.empty()) return check();
    if (auto taken = take(*subjects); !taken) return taken.error();
    auto user = check();
    if (!user) {
        is_failure(user.error()) ? fail(*subjects) : give_back(*subjects);
        return user;
    }
    give_back(*subjects);
    pairs_.forget(subjects->pair);
    auto remembered = remember_address(context, user->key, address);
    if (!remembered) return remembered.error();
    return user;
}

sdk::Result<void> LoginGuard::check_again(const sdk::RecordKey& identity,
                                          const std::function<sdk::Result<void>()>& check) {
    if (rules_.free == 0) return check();
    // No address counts: whoever asks holds a token of the user.
    const std::string subject = "identity " + identity;
    const Patience patience{rules_.free, rules_.longest_ms};
    if (const auto wait = pairs_.take(subject, patience, sdk::now_ms())) return must_wait(wait);
    auto fits = check();
    if (fits) {
        pairs_.forget(subject);
    } else if (is_failure(fits.error())) {
        pairs_.note_failed(subject, sdk::now_ms());
    } else {
        pairs_.give_back(subject);
    }
    return fits;
}

}  // namespace stele::identity
