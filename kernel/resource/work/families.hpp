#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include <stele/sdk/services/families.hpp>

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

/// The registry and the tree of records, as plugins see them.
class Families final : public sdk::Families {
public:
    explicit Families(Services& services) : services_(services) {}

    const sdk::FamilyInfo* find(std::string_view type) const override;
    const sdk::FamilyInfo* find_word(std::string_view word) const override;
    sdk::Result<const sdk::FamilyInfo*> of(sdk::Context& context,
                                           const sdk::RecordKey& record) const override;
    sdk::Result<std::optional<sdk::RecordKey>> container_of(
        sdk::Context& context, const sdk::RecordKey& record) const override;
    sdk::Result<void> for_each(
        sdk::Context& context, std::string_view type, const sdk::RecordKey& container,
        const std::function<sdk::Result<bool>(const sdk::RecordKey& record)>& visit) const override;
    sdk::Result<std::vector<sdk::Companion>> companions(
        sdk::Context& context, const sdk::RecordKey& record) const override;
    sdk::Result<void> accompany(sdk::Context& context, const sdk::RecordKey& record,
                                const sdk::Companion& companion) const override;
    sdk::Result<sdk::Json> secrets(sdk::Context& context,
                                   const sdk::RecordKey& record) const override;
    sdk::Result<bool> restore_secrets(sdk::Context& context, const sdk::RecordKey& record,
                                      const sdk::Json& secrets) const override;

private:
    /// Made when somebody asks first: then all families are there.
    const std::map<std::string, sdk::FamilyInfo, std::less<>>& infos() const;
    sdk::Result<const RegisteredResource*> family_of(sdk::Context& context,
                                                     const sdk::RecordKey& record) const;

    Services& services_;
    mutable std::once_flag is_described_;
    mutable std::map<std::string, sdk::FamilyInfo, std::less<>> infos_;
};

}  // namespace stele::kernel::resource
