#include "log_operations.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/kept_log.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/time.hpp>

namespace stele::platform {

namespace {

constexpr std::size_t kMaxMessageLength = 4000;

constexpr std::array<std::pair<std::string_view, sdk::LogLevel>, 4> kLevels{
    {{"DEBUG", sdk::LogLevel::debug},
     {"INFO", sdk::LogLevel::info},
     {"WARN", sdk::LogLevel::warning},
     {"ERROR", sdk::LogLevel::error}}};

sdk::Json entry_of(const sdk::KeptLogLine& line) {
    const auto level = std::find_if(kLevels.begin(), kLevels.end(),
                                    [&](const auto& known) { return known.second == line.level; });
    return {{"_doc", line.id},
            {"level", level->first},
            {"source", line.source},
            {"message", line.message},
            {"timestamp", sdk::time_value(line.at_ms)}};
}

std::vector<sdk::ShapeMember> entry_members() {
    using sdk::shape::text;
    return {{"_doc", text()},
            {"level", text(LogOperations::levels())},
            {"source", text()},
            {"message", text()},
            {"timestamp", sdk::shape::time()}};
}

sdk::Result<sdk::LogLevel> level_of(const std::string& name) {
    for (const auto& [known, level] : kLevels) {
        if (name == known) return level;
    }
    return sdk::invalid_parameter("level", "must be DEBUG, INFO, WARN or ERROR");
}

}  // namespace

std::vector<std::string> LogOperations::levels() {
    std::vector<std::string> names;
    for (const auto& [name, level] : kLevels)
        names.emplace_back(name);
    return names;
}

sdk::Shape LogOperations::entry() {
    return sdk::shape::object(entry_members());
}

sdk::Shape LogOperations::row() {
    std::vector<sdk::ShapeMember> members = entry_members();
    for (sdk::ShapeMember& member : members)
        member.is_required = member.name == "_doc";
    return sdk::shape::object(members);
}

sdk::Result<void> LogOperations::check_may_read(sdk::Context& context) const {
    const sdk::PlatformScope root = registrar_.root_platform();
    if (context.platform().number == root.number) {
        auto may = sdk::holds(context, root.root, sdk::Permission::modify_permissions);
        if (!may) return may.error();
        if (*may) return {};
    }
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "MODIFY_PERMISSIONS on the root platform is needed for this");
}

sdk::Result<sdk::Reply> LogOperations::query(const sdk::Call& call) const {
    if (auto allowed = check_may_read(call.context()); !allowed) return allowed.error();
    std::vector<sdk::Json> entries;
    for (const sdk::KeptLogLine& line : sdk::kept_log_lines())
        entries.push_back(entry_of(line));
    const sdk::Json everything = sdk::Json::object();
    return rows_.page(entries, call.method() == "POST" ? call.body() : everything, call.page());
}

sdk::Result<sdk::Reply> LogOperations::read(const sdk::Call& call) const {
    if (auto allowed = check_may_read(call.context()); !allowed) return allowed.error();
    const std::string id(call.path("logId"));
    for (const sdk::KeptLogLine& line : sdk::kept_log_lines()) {
        if (line.id == id) return sdk::Reply::json(entry_of(line));
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.log_entry_unknown",
                           "there is no log entry " + id + ", or no longer");
}

sdk::Result<sdk::Reply> LogOperations::read_file(const sdk::Call& call) const {
    if (auto allowed = check_may_read(call.context()); !allowed) return allowed.error();
    auto lines = std::make_shared<std::vector<sdk::KeptLogLine>>(sdk::kept_log_lines());
    return sdk::Reply::stream(
        [lines](std::string& out) -> sdk::Result<bool> {
            for (const sdk::KeptLogLine& line : *lines)
                out += sdk::log_file_line(line) + "\n";
            return false;
        },
        std::string(kFileType) + ";charset=UTF-8");
}

sdk::Result<sdk::Reply> LogOperations::create(const sdk::Call& call) const {
    sdk::Context& context = call.context();
    if (auto allowed = check_may_read(context); !allowed) return allowed.error();
    auto message = call.required_parameter("message");
    if (!message) return message.error();
    if (message->size() > kMaxMessageLength) {
        return sdk::invalid_parameter("message", "must not be longer than 4000 bytes");
    }
    auto level = level_of(call.parameter("level").value_or("INFO"));
    if (!level) return level.error();
    const std::string id = sdk::next_log_line_id();
    context.after_commit([id, level = *level, message = *message,
                          source = "client " + context.principal().qualified_name()] {
        sdk::log_as(id, level, source, message);
    });
    return sdk::Reply::status({{"_doc", id}});
}

}  // namespace stele::platform
