#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::email_providers {

inline constexpr char kEmailType[] = "email";

/// A mail that an application keeps, to be sent by one of its providers, perhaps more than once.
/// Everything comes from the descriptor but the check of what will stand in headers.
class Email final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
};

}  // namespace stele::email_providers
