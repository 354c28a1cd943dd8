#include <stele/sdk/text.hpp>

#include "kernel/http/pipeline/request_pipeline.hpp"

namespace stele::kernel::http {

namespace {

constexpr std::size_t kParameters = 256;

sdk::Error malformed() {
    return sdk::make_error(sdk::ErrorKind::invalid, "http.query_malformed",
                           "the query string is not properly percent-encoded UTF-8");
}

}  // namespace

sdk::Result<std::vector<std::pair<std::string, std::string>>> decode_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> parameters;
    while (!query.empty()) {
        const std::string_view pair = sdk::take_until(query, '&');
        if (pair.empty()) continue;
        if (parameters.size() == kParameters) {
            return sdk::make_error(sdk::ErrorKind::invalid, "http.query_malformed",
                                   "the query string has more than 256 parameters");
        }
        const std::size_t equals = pair.find('=');
        auto& [name, value] = parameters.emplace_back();
        if (!percent_decode(pair.substr(0, equals), name, true)) return malformed();
        if (equals == std::string_view::npos) continue;
        if (!percent_decode(pair.substr(equals + 1), value, true)) return malformed();
    }
    return parameters;
}

}  // namespace stele::kernel::http
