#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "server_process.hpp"
#include "suite.hpp"

namespace {

using namespace stele;

constexpr char kUsage[] =
    "stele_conformance PROGRAM DOCUMENTS.json [PLUGIN_FOLDER...]\n"
    "Serves the plugins of these folders beside the program's own and checks that the families "
    "whose\n"
    "documents are given (one object, or an array of them) do what every family must.\n";

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

}  // namespace

int main(int argc, char** argv) {
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
    bool is_sound = true;
    for (const sdk::Json& family : *families) {
        if (!make_surroundings(admin, family)) return 2;
        conformance::Suite suite(family, admin, stranger, "default/stranger");
        const auto failures = suite.run();
        for (const std::string& failure : failures)
            std::cout << "FAILED: " << failure << "\n";
        std::cout << family["collection"].get<std::string>() << ": "
                  << suite.checks() - static_cast<int>(failures.size()) << " of " << suite.checks()
                  << " checks passed\n";
        is_sound = is_sound && failures.empty();
    }
    return is_sound ? 0 : 1;
}
