#pragma once

#include <map>
#include <mutex>
#include <string>

#include <stele/sdk/services/inner_operations.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// Runs the stages of a request's way for jobs
/// (docs/decisions/0142-operations-without-a-request.md).
class InnerOperations final : public sdk::InnerOperations {
public:
    explicit InnerOperations(Services& services) : services_(services) {}

    bool is_offered(std::string_view type, bool is_of_record,
                    const sdk::InnerOperation& operation) const override;
    sdk::Result<sdk::Reply> on_record(sdk::Context& context, const sdk::RecordKey& record,
                                      const sdk::InnerOperation& operation) override;
    sdk::Result<sdk::Reply> on_collection(sdk::Context& context, std::string_view type,
                                          const sdk::RecordKey& container,
                                          const sdk::InnerOperation& operation) override;
    sdk::Result<void> run_as(const sdk::PlatformScope& platform, const sdk::Principal& principal,
                             const std::function<sdk::Result<void>(sdk::Context&)>& work) override;
    sdk::Result<void> read_as(const sdk::PlatformScope& platform, const sdk::Principal& principal,
                              const std::function<sdk::Result<void>(sdk::Context&)>& work) override;

private:
    /// Null where there is none.
    const Route* find_route(std::string_view method, const std::string& path) const;

    Services& services_;
    mutable std::once_flag is_indexed_;
    /// By method, a blank and the path; routes never change once there are any.
    mutable std::map<std::string, const Route*, std::less<>> routes_;
};

}  // namespace stele::kernel::resource
