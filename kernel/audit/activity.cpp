#include "kernel/audit/activity.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/text.hpp>
#include <stele/sdk/time.hpp>

namespace stele::kernel::audit {

namespace {

/// What callers send is kept up to here; an audit log must not grow by the length of a path.
constexpr std::size_t kMaxTextLength = 500;

class RecordBuilder {
public:
    RecordBuilder() { members_.reserve(kMaxMembers); }

    void add(const char* name, const std::string& text) {
        if (!text.empty())
            members_.emplace_back(name, std::string(sdk::cut_to(text, kMaxTextLength)));
    }
    void add(const char* name, sdk::Json value) { members_.emplace_back(name, std::move(value)); }

    sdk::Json take() { return sdk::Json(std::move(members_)); }

private:
    static constexpr std::size_t kMaxMembers = 24;

    sdk::Json::object_t members_;
};

std::string full_name(const sdk::Principal& user) {
    const bool has_both = !user.first_name.empty() && !user.last_name.empty();
    return user.first_name + (has_both ? " " : "") + user.last_name;
}

}  // namespace

sdk::Json activity_record(const sdk::PlatformScope& platform, const std::string& id,
                          const Activity& activity) {
    RecordBuilder record;
    record.add("_doc", id);
    record.add("platformId", platform.id);
    record.add("type", activity.type);
    record.add("timestamp", sdk::time_value(activity.at_ms));
    record.add("userDomainId", activity.user.domain_id);
    record.add("userId", activity.user.id);
    record.add("userName", activity.user.name);
    record.add("userTitle", full_name(activity.user));
    record.add("userEmail", activity.user.email);
    record.add("objectTypeId", activity.object.type);
    record.add("objectId", activity.object.id);
    record.add("objectRef", activity.object.reference);
    record.add("objectDatastoreTypeId", activity.store.type);
    record.add("objectDatastoreId", activity.store.id);
    record.add("objectDatastoreRef", activity.store.reference);
    record.add("otherId", activity.other_id);
    record.add("route", activity.route);
    record.add("path", activity.path);
    record.add("status", sdk::Json(activity.status));
    record.add("requestId", activity.request_id);
    record.add("remoteAddress", activity.remote_address);
    return record.take();
}

}  // namespace stele::kernel::audit
