#include "kernel/job/job_record.hpp"

#include <array>
#include <cstdio>
#include <mutex>
#include <optional>
#include <random>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/time.hpp>

namespace stele::kernel::job {

namespace {

using sdk::Json;

std::optional<sdk::JobState> find_state(std::string_view name) {
    using enum sdk::JobState;
    for (auto state : {none, waiting, running, paused, awaiting, finished, error}) {
        if (sdk::job_state_name(state) == name) return state;
    }
    return std::nullopt;
}

void add_time(Json& job, const char* name, std::int64_t ms) {
    if (ms != 0) job[name] = sdk::time_value(ms);
}

Json system_member(const JobRecord& record) {
    const Json by = record.run_as.name;
    const Json id = record.run_as.id;
    const Json domain = record.run_as.domain_id;
    return Json{{"created_on", sdk::time_value(record.submitted_ms)},
                {"created_by", by},
                {"created_by_principal_id", id},
                {"created_by_principal_domain_id", domain},
                {"modified_on", sdk::time_value(record.changed_ms)},
                {"modified_by", by},
                {"modified_by_principal_id", id},
                {"modified_by_principal_domain_id", domain}};
}

Json progress_json(const JobRecord& record) {
    Json progress{{"done", record.progress.done},
                  {"total", record.progress.total},
                  {"bytes", record.progress.bytes},
                  {"totalBytes", record.progress.total_bytes}};
    if (record.remaining_ms > 0) progress["remaining"] = record.remaining_ms;
    return progress;
}

Json log_entries_json(const Json& stored) {
    Json entries = Json::array();
    for (const Json& entry : stored) {
        // What went wrong inside is for the server's own log: a trace is always empty.
        entries.push_back(Json{{"type", entry.at("level")},
                               {"level", entry.at("level")},
                               {"message", entry.at("message")},
                               {"timestamp", sdk::time_value(entry.at("ms").get<std::int64_t>())},
                               {"stacktrace", Json::array()}});
    }
    return entries;
}

/// Nothing when a key is broken. Record keys are bytes of any value, which JSON text cannot hold.
std::optional<JobRecord> from_json(const Json& stored, sdk::JobState state) {
    JobRecord record;
    record.state = state;
    stored.at("id").get_to(record.id);
    stored.at("type").get_to(record.type);
    record.lane = stored.value("lane", std::string());
    const Json& platform = stored.at("platform");
    platform.at("number").get_to(record.platform.number);
    platform.at("id").get_to(record.platform.id);
    auto root = sdk::hex_bytes(platform.at("root").get_ref<const std::string&>());
    const Json& run_as = stored.at("run_as");
    auto principal = sdk::hex_bytes(run_as.at("key").get_ref<const std::string&>());
    if (!root || !principal) return std::nullopt;
    record.platform.root = *std::move(root);
    record.run_as.key = *std::move(principal);
    run_as.at("id").get_to(record.run_as.id);
    run_as.at("name").get_to(record.run_as.name);
    run_as.at("domain").get_to(record.run_as.domain_id);
    for (const Json& actor : run_as.value("actors", Json::array())) {
        auto key = sdk::hex_bytes(actor.get_ref<const std::string&>());
        if (!key) return std::nullopt;
        record.run_as.actors.push_back(*std::move(key));
    }
    stored.at("priority").get_to(record.priority);
    stored.at("attempts").get_to(record.attempts);
    record.given_back = stored.value("given_back", 0);
    stored.at("most_attempts").get_to(record.most_attempts);
    record.is_resting = stored.value("resting", false);
    stored.at("submitted_ms").get_to(record.submitted_ms);
    stored.at("changed_ms").get_to(record.changed_ms);
    stored.at("due_ms").get_to(record.due_ms);
    stored.at("started_ms").get_to(record.started_ms);
    stored.at("stopped_ms").get_to(record.stopped_ms);
    stored.at("server").get_to(record.server);
    stored.at("done").get_to(record.progress.done);
    stored.at("total").get_to(record.progress.total);
    record.progress.bytes = stored.value("bytes", std::uint64_t{0});
    record.progress.total_bytes = stored.value("total_bytes", std::uint64_t{0});
    stored.at("log_truncated").get_to(record.is_log_truncated);
    record.input = stored.at("input");
    record.hidden = stored.value("hidden", Json::object());
    auto sealed = sdk::hex_bytes(stored.value("secret", std::string()));
    if (!sealed) return std::nullopt;
    record.sealed_secret = *std::move(sealed);
    record.shown_as = stored.value("shown_as", std::string());
    record.result = stored.at("result");
    record.log_entries = stored.at("log");
    return record;
}

sdk::Error broken(std::string_view why) {
    return sdk::make_error(sdk::ErrorKind::internal, "job.record_broken", "A job cannot be read.",
                           std::string(why));
}

}  // namespace

void JobRecord::add_log(std::int64_t now_ms, sdk::JobLogLevel level, std::string_view message) {
    // The last place is for the entry that says why the job ended.
    const std::size_t room = level == sdk::JobLogLevel::error ? kMaxLogEntries : kMaxLogEntries - 1;
    if (log_entries.size() >= room) {
        is_log_truncated = true;
        return;
    }
    log_entries.push_back(Json{{"level", level == sdk::JobLogLevel::error ? "ERROR" : "STATUS"},
                               {"message", message},
                               {"ms", now_ms}});
}

std::string encode_job(const JobRecord& record) {
    Json actors = Json::array();
    for (const sdk::RecordKey& actor : record.run_as.actors)
        actors.push_back(sdk::hex_text(actor));
    const Json stored{{"id", record.id},
                      {"type", record.type},
                      {"lane", record.lane},
                      {"platform", Json{{"number", record.platform.number},
                                        {"id", record.platform.id},
                                        {"root", sdk::hex_text(record.platform.root)}}},
                      {"run_as", Json{{"key", sdk::hex_text(record.run_as.key)},
                                      {"id", record.run_as.id},
                                      {"name", record.run_as.name},
                                      {"domain", record.run_as.domain_id},
                                      {"actors", std::move(actors)}}},
                      {"state", sdk::job_state_name(record.state)},
                      {"priority", record.priority},
                      {"attempts", record.attempts},
                      {"given_back", record.given_back},
                      {"most_attempts", record.most_attempts},
                      {"resting", record.is_resting},
                      {"submitted_ms", record.submitted_ms},
                      {"changed_ms", record.changed_ms},
                      {"due_ms", record.due_ms},
                      {"started_ms", record.started_ms},
                      {"stopped_ms", record.stopped_ms},
                      {"server", record.server},
                      {"done", record.progress.done},
                      {"total", record.progress.total},
                      {"bytes", record.progress.bytes},
                      {"total_bytes", record.progress.total_bytes},
                      {"log_truncated", record.is_log_truncated},
                      {"input", record.input},
                      {"hidden", record.hidden},
                      {"secret", sdk::hex_text(record.sealed_secret)},
                      {"shown_as", record.shown_as},
                      {"result", record.result},
                      {"log", record.log_entries}};
    return sdk::dump_json(stored);
}

sdk::Result<JobRecord> decode_job(std::string_view bytes) {
    // Deeper than requests may be: the input lies a level down.
    const auto stored = sdk::parse_json(bytes, {.depth = 1000});
    if (!stored) return broken(stored.error().message);
    try {
        const auto state = find_state(stored->at("state").get<std::string>());
        if (!state) return broken("unknown state");
        auto record = from_json(*stored, *state);
        if (!record) return broken("a key is no hexadecimal text");
        return *std::move(record);
    } catch (const Json::exception& thrown) {
        return broken(thrown.what());
    }
}

Json job_json(const JobRecord& record) {
    const std::string state(sdk::job_state_name(record.state));
    const std::string& shown = record.shown_as.empty() ? record.type : record.shown_as;
    Json job{{"_doc", record.id},
             {"job_id", record.id},
             {"type", shown},
             {"job_type", shown},
             {"state", state},
             {"job_state", state},
             {"platformId", record.platform.id},
             {"priority", record.priority},
             {"attempts", record.attempts},
             {"submitted_by", record.run_as.name},
             {"submitted_timestamp", sdk::time_value(record.submitted_ms)},
             {"runAsPrincipal", record.run_as.id},
             {"runAsPrincipalId", record.run_as.id},
             {"runAsPrincipalDomain", record.run_as.domain_id},
             {"runAsPrincipalDomainId", record.run_as.domain_id},
             {"schedule_start_ms", record.due_ms},
             {"started", record.started_ms != 0},
             {"stopped", record.stopped_ms != 0},
             {"paused", record.state == sdk::JobState::paused},
             {"current_server", record.server},
             // Clients spell it so.
             {"current_server_timestmap", sdk::time_value(record.changed_ms)},
             {"current_thread", record.state == sdk::JobState::running ? record.id : ""},
             {"progress", progress_json(record)},
             {"log_entries", log_entries_json(record.log_entries)}};
    if (record.is_log_truncated) job["log_truncated"] = true;
    add_time(job, "started_timestamp", record.started_ms);
    add_time(job, "stopped_timestamp", record.stopped_ms);
    job["_data"] = record.input;
    job["_result"] = record.result;
    job["_system"] = system_member(record);
    // Older clients look for the result here. `ok` and `error` would change what the reply means.
    for (const auto& [name, value] : record.result.items()) {
        if (name != "ok" && name != "error" && !job.contains(name)) job[name] = value;
    }
    return job;
}

std::string new_job_id(std::int64_t now_ms) {
    static std::mutex mutex;
    static std::int64_t last_ms = 0;
    static std::uint32_t counter = 0;
    static std::random_device random;
    const std::lock_guard lock(mutex);
    if (now_ms > last_ms) {
        last_ms = now_ms;
        counter = static_cast<std::uint32_t>(random()) >> 1;  // leaves room to count upwards
    } else {
        ++counter;
    }
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%012llx%08x", static_cast<unsigned long long>(last_ms),
                  counter);
    return text.data();
}

}  // namespace stele::kernel::job
