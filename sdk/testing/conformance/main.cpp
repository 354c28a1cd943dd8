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
    "Serves the plugins of these folders beside the program's own and checks that the family "
    "whose\n"
    "documents are given does what every family must.\n";

sdk::Result<sdk::Json> read_family(const char* file) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    auto family = sdk::parse_json(text.str());
    if (!family) return family;
    const bool is_usable = family->is_object() && family->contains("collection") &&
                           family->contains("valid") && (*family)["valid"].is_array() &&
                           !(*family)["valid"].empty();
    if (is_usable) return family;
    return sdk::invalid_parameter(file, "needs collection and at least one valid document");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << kUsage;
        return 2;
    }
    auto family = read_family(argv[2]);
    if (!family) {
        std::cerr << family.error() << "\n";
        return 2;
    }
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
    conformance::Suite suite(*family, admin, stranger, "default/stranger");
    const auto failures = suite.run();
    for (const std::string& failure : failures)
        std::cout << "FAILED: " << failure << "\n";
    std::cout << suite.checks() - static_cast<int>(failures.size()) << " of " << suite.checks()
              << " checks passed\n";
    return failures.empty() ? 0 : 1;
}
