#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "record_transfer.hpp"
#include "server_process.hpp"
#include "suite.hpp"
#include "transferred_families.hpp"

namespace {

using namespace stele;

constexpr char kUsage[] =
    "stele_conformance [--expect-transfers] PROGRAM DOCUMENTS.json [PLUGIN_FOLDER...]\n"
    "Serves the plugins of these folders beside the program's own and checks that the families "
    "whose\n"
    "documents are given (one object, or an array of them) do what every family must.\n"
    "Without a plugin that offers exports and imports it skips what belongs to them and says so; "
    "with\n"
    "--expect-transfers that is a failure.\n";
constexpr std::string_view kExpectTransfers = "--expect-transfers";

bool is_usable(const sdk::Json& family) {
    return family.is_object() && family.contains("collection") && family.contains("valid") &&
           family["valid"].is_array() && !family["valid"].empty();
}

/// The families of a file.
sdk::Result<sdk::Json> read_families(const char* file) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    auto families = sdk::parse_json(text.str());
    if (!families) return families;
    if (families->is_object()) families = sdk::Json::array({std::move(*families)});
    if (families->is_array() && std::all_of(families->begin(), families->end(), &is_usable)) {
        return families;
    }
    return sdk::invalid_parameter(file, "needs collection and at least one valid document");
}

/// Makes the records that a family lives in (`"before": [{"path": "/applications", "document":
/// {…}}]`); one that another family of the file has made already is fine.
bool make_surroundings(conformance::HttpClient& admin, const sdk::Json& family) {
    for (const auto& record : family.value("before", sdk::Json::array())) {
        const auto made = admin.ask("POST", record.at("path").get<std::string>(),
                                    sdk::dump_json(record.at("document")));
        if (made.status == 200 || made.status == 409) continue;
        std::cerr << "a record that the family needs could not be made: " << made.body << "\n";
        return false;
    }
    return true;
}

bool check_family(const sdk::Json& family, const conformance::TransferredFamilies& transferred,
                  const conformance::HttpClient& admin, const conformance::HttpClient& stranger) {
    conformance::Suite suite(family, transferred, admin, stranger, "default/stranger");
    const auto failures = suite.run();
    for (const std::string& failure : failures)
        std::cout << "FAILED: " << failure << "\n";
    const std::string collection = family["collection"].get<std::string>();
    std::cout << collection << ": " << suite.checks() - static_cast<int>(failures.size()) << " of "
              << suite.checks() << " checks passed\n";
    if (transferred.is_offered() && !transferred.find(collection))
        std::cout << "SKIPPED: exports and imports of " << collection << ", which has none\n";
    return failures.empty();
}

/// Whether exports and imports are checked as the caller expects; says why they are not.
bool has_expected_transfers(const conformance::TransferredFamilies& transferred, bool is_expected) {
    if (transferred.is_offered()) return true;
    std::cout << (is_expected ? "FAILED" : "SKIPPED")
              << ": exports and imports, which no enabled plugin offers (archives does)\n";
    return !is_expected;
}

/// Families of the same plugins without documents, such as those that clients do not make: a record
/// that the server has, if there is one, is exported and imported onto itself.
bool check_others(const sdk::Json& families, const conformance::TransferredFamilies& transferred,
                  const conformance::HttpClient& admin) {
    std::set<std::string> plugins;
    std::set<std::string> checked;
    for (const sdk::Json& family : families) {
        const auto* const found = transferred.find(family["collection"].get<std::string>());
        if (!found) continue;
        plugins.insert(found->plugin);
        checked.insert(found->collection);
    }
    bool is_sound = true;
    for (const conformance::TransferredFamily& family : transferred.all()) {
        if (!plugins.contains(family.plugin) || checked.contains(family.collection)) continue;
        const std::string path = conformance::TransferredFamilies::some_record(admin, family);
        if (path.empty()) {
            std::cout << family.collection << ": not imported, the server lists none\n";
            continue;
        }
        const std::string container = conformance::TransferredFamilies::container_of(family, path);
        const std::string change = conformance::change_by_clone(admin, path, container);
        std::cout << (change.empty() ? "" : "FAILED: ") << path
                  << (change.empty() ? " is imported onto itself and stays as it is\n"
                                     : " is imported onto itself: " + change + "\n");
        is_sound = is_sound && change.empty();
    }
    return is_sound;
}

}  // namespace

int main(int argc, char** argv) {
    const bool expects_transfers = argc > 1 && argv[1] == kExpectTransfers;
    if (expects_transfers) {
        --argc;
        ++argv;
    }
    if (argc < 3) {
        std::cerr << kUsage;
        return 2;
    }
    auto families = read_families(argv[2]);
    if (!families) {
        std::cerr << families.error() << "\n";
        return 2;
    }
    // Writers to a locked store shall not keep the checks waiting.
    ::setenv("STELE_STORES_LOCK_WAIT", "300ms", 0);
    conformance::ServerProcess server(argv[1], {argv + 3, argv + argc});
    if (!server.problem().empty()) {
        std::cerr << server.problem() << "\n";
        return 2;
    }
    conformance::HttpClient admin(server.port());
    admin.set_token(admin.login(
        server.kClient,
        std::string("grant_type=password&username=admin&password=") + server.kAdminPassword));
    const auto user = admin.ask("POST", "/domains/default/principals",
                                R"({"type":"USER","name":"stranger","password":"stranger"})");
    conformance::HttpClient stranger(server.port());
    stranger.set_token(
        stranger.login(server.kClient, "grant_type=password&username=stranger&password=stranger"));
    if (user.status != 200) {
        std::cerr << "no user could be made: " << user.body << "\n";
        return 2;
    }
    const conformance::TransferredFamilies transferred(admin);
    bool is_sound = has_expected_transfers(transferred, expects_transfers);
    for (const sdk::Json& family : *families) {
        if (!make_surroundings(admin, family)) return 2;
        is_sound = check_family(family, transferred, admin, stranger) && is_sound;
    }
    if (transferred.is_offered())
        is_sound = check_others(*families, transferred, admin) && is_sound;
    return is_sound ? 0 : 1;
}
