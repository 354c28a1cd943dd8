#include <stele/sdk/job_rights.hpp>

namespace stele::sdk {

Result<void> require_of_starter(Context& context, const Job& job, const RecordKey& record,
                                Permission permission) {
    auto held = context.authorities().permissions(job.run_as().key, record);
    if (!held) return held.error();
    if (held->has(permission)) return {};
    return make_error(
        ErrorKind::forbidden, "authority.permission_missing",
        std::string(permission_name(permission)) + " is missing to whoever started the job by now");
}

}  // namespace stele::sdk
