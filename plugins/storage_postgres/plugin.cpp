#include <charconv>
#include <string>

#include <stele/sdk/plugin.hpp>
#include <stele/sdk/services/engine_source.hpp>

#include "postgres_engine.hpp"

namespace stele::storage_postgres {

namespace {

class PostgresSource final : public sdk::AddressedEngineSource {
public:
    Options options;

    sdk::Result<std::unique_ptr<sdk::Engine>> open_engine() override {
        return open_postgres(options);
    }
    bool knows_address(std::string_view address) const override {
        return address.starts_with("postgresql://") || address.starts_with("postgres://");
    }
    sdk::Result<std::unique_ptr<sdk::Engine>> open_address(const std::string& address) override {
        Options at_address = options;
        at_address.connection = address;
        return open_postgres(at_address);
    }
};

sdk::Result<std::int64_t> read_number(sdk::Registrar& registrar, sdk::Setting setting,
                                      std::int64_t least, std::int64_t most) {
    const std::string name = setting.name;
    const std::string text = registrar.setting(std::move(setting));
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = problem == std::errc() && end == text.data() + text.size();
    if (is_number && number >= least && number <= most) return number;
    return sdk::make_error(sdk::ErrorKind::invalid, "storage_postgres.setting_invalid",
                           "storage_postgres." + name + " must be a number from " +
                               std::to_string(least) + " to " + std::to_string(most) + ", not '" +
                               text + "'");
}

sdk::Result<void> open(sdk::Registrar& registrar) {
    // Lives as long as the process: published services are never taken back.
    static PostgresSource source;
    source.options.connection = registrar.setting(
        {"connection", "dbname=stele",
         "Connection string as libpq takes it; may name several hosts, of which the one that takes "
         "writes is chosen"});
    source.options.schema = registrar.setting(
        {"schema", "stele", "Schema that holds the tables; made when it is missing"});
    const auto connections = read_number(
        registrar, {"connections", "8", "Connections that one server opens at most"}, 2, 1000);
    if (!connections) return connections.error();
    source.options.connections = static_cast<std::size_t>(*connections);
    const auto wait =
        read_number(registrar,
                    {"wait_seconds", "10",
                     "Time that an operation waits for a database that does not answer; then 503"},
                    1, 3600);
    if (!wait) return wait.error();
    source.options.wait = std::chrono::seconds(*wait);
    registrar.publish<sdk::EngineSource>(source);
    return {};
}

}  // namespace

}  // namespace stele::storage_postgres

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "storage_postgres", .version = "1.0.0", .status = "draft", .engine = "postgres"},
    &stele::storage_postgres::open);
