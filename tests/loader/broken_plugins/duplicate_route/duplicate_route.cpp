#include <stele/sdk/plugin.hpp>

#include <memory>

#include "../witness.hpp"

namespace {

namespace sdk = stele::sdk;

class Slate final : public sdk::Resource {
public:
    explicit Slate(std::string type) : type_(std::move(type)) {}

    sdk::ResourceDescriptor describe() const override {
        return {.type = type_, .path = "slates", .placeholder = "slateId"};
    }

private:
    std::string type_;
};

// Two types, one path.
sdk::Result<void> open(sdk::Registrar& registrar) {
    registrar.add(std::make_unique<Slate>("slate"));
    registrar.add(std::make_unique<Slate>("otherslate"));
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "duplicate_route", .version = "1.0.0"}, &open);
