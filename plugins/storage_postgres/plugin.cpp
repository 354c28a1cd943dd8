#include <chrono>
#include <memory>
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

sdk::Result<void> open(sdk::Registrar& registrar) {
    PostgresSource& source = registrar.own(std::make_unique<PostgresSource>());
    source.options.connection = registrar.setting(
        {"connection", "dbname=stele",
         "Connection string as libpq takes it; may name several hosts, of which the one that takes "
         "writes is chosen"});
    source.options.schema = registrar.setting(
        {"schema", "stele", "Schema that holds the tables; made when it is missing"});
    source.options.connections = static_cast<std::size_t>(registrar.number(
        {"connections", "8", "Connections that one server opens at most"}, 2, 1000));
    source.options.row_cache_bytes = static_cast<std::size_t>(
        registrar.bytes({"row_cache", "32MiB", "Memory for recently read rows; 0 for none"}, 0));
    source.options.wait = std::chrono::seconds(registrar.number(
        {"wait_seconds", "10",
         "Time that an operation waits for a database that does not answer; then 503"},
        1, 3600));
    registrar.publish<sdk::EngineSource>(source);
    return {};
}

}  // namespace

}  // namespace stele::storage_postgres

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "storage_postgres", .version = "1.0.0", .status = "draft", .engine = "postgres"},
    &stele::storage_postgres::open);
