#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "job/jobs.hpp"
#include "job/node_jobs.hpp"
#include "merge/branch_merge.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kChangesJob[] = "branch-changes";
constexpr char kFrom[] = "source";
constexpr char kInto[] = "target";
constexpr char kSkip[] = "skip";
constexpr char kLimit[] = "limit";
/// Rows that a job's result holds.
constexpr std::size_t kMostRows = 10'000;
/// Columns of the export, members of the rows.
constexpr std::array<const char*, 7> kColumns{kNodeId,        "operation", "title",   member::kType,
                                              member::kQName, "path",      "conflict"};

/// By path, what has none last.
void sort_by_path(std::vector<sdk::Json>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const sdk::Json& one, const sdk::Json& other) {
        const std::string path = sdk::text_member(one, "path");
        const std::string other_path = sdk::text_member(other, "path");
        if (path.empty() != other_path.empty()) return other_path.empty();
        return path < other_path;
    });
}

sdk::Result<sdk::Reply> start_changes(Services& services, const sdk::Call& call) {
    auto branch = source_branch(call);
    if (!branch) return branch.error();
    return job_reply(services, call, kChangesJob,
                     {{kFrom, address_of(*branch)},
                      {kInto, address_of(call.record())},
                      {kSkip, call.page().skip},
                      {kLimit, call.page().limit}});
}

sdk::Result<sdk::Json> run_changes(Services& services, sdk::Job& job) {
    const sdk::Json& input = job.input();
    std::vector<sdk::Json> rows;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            Changes::of(context, services.branches).act_for(job.run_as());
            auto source = open_address(services, context, input.at(kFrom));
            if (!source) return source.error();
            auto target = open_address(services, context, input.at(kInto));
            if (!target) return target.error();
            auto found = changes_between(*source, *target);
            if (!found) return found.error();
            rows = *std::move(found);
            return {};
        });
    if (!done) return done.error();
    sort_by_path(rows);
    const std::size_t total = rows.size();
    const auto skip = std::min(total, input.at(kSkip).get<std::size_t>());
    const auto limit = input.at(kLimit).get<std::int64_t>();
    std::size_t size = total - skip;
    if (limit >= 0) size = std::min(size, static_cast<std::size_t>(limit));
    sdk::Json result = {{"sourceBranchId", sdk::text_member(input.at(kFrom), kBranchId)},
                        {"targetBranchId", sdk::text_member(input.at(kInto), kBranchId)},
                        {"total_rows", total},
                        {"offset", skip},
                        {"rows", sdk::Json::array()}};
    if (size > kMostRows) {
        size = kMostRows;
        result["truncated"] = true;
        result["bound"] = "changes";
    }
    for (std::size_t at = skip; at < skip + size; ++at)
        result["rows"].push_back(std::move(rows[at]));
    result["size"] = size;
    return result;
}

/// A field of comma-separated values (RFC 4180). Spreadsheets take a text that begins like a
/// formula for one, so an apostrophe comes before it.
std::string csv_field(const sdk::Json& row, const char* column) {
    const auto found = row.find(column);
    if (found == row.end()) return {};
    std::string text = found->is_string() ? found->get<std::string>() : sdk::dump_json(*found);
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos)
        text.insert(text.begin(), '\'');
    // Some spreadsheets part fields at semicolons.
    if (text.find_first_of(",;\t\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char byte : text) {
        if (byte == '"') quoted += '"';
        quoted += byte;
    }
    return quoted + '"';
}

sdk::Result<sdk::Reply> export_changes(Services& services, const sdk::Call& call) {
    auto branch = source_branch(call);
    if (!branch) return branch.error();
    auto source = BranchContent::open(services, call.context(), branch->key);
    if (!source) return source.error();
    auto target = content_of(services, call);
    if (!target) return target.error();
    auto rows = changes_between(*source, *target);
    if (!rows) return rows.error();
    sort_by_path(*rows);
    std::string text;
    for (const char* column : kColumns)
        text.append(text.empty() ? "" : ",").append(column);
    text += "\r\n";
    for (const sdk::Json& row : *rows) {
        bool is_first = true;
        for (const char* column : kColumns) {
            if (!is_first) text += ',';
            is_first = false;
            text += csv_field(row, column);
        }
        text += "\r\n";
    }
    return sdk::Reply::text(std::move(text), "text/csv; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"changes.csv\"");
}

/// Changes are computed when they are asked for: nothing is kept that could be out of date.
sdk::Result<sdk::Reply> invalidate_changes(Services&, const sdk::Call&) {
    return sdk::Reply::status();
}

}  // namespace

void define_change_jobs(Services& services) {
    services.jobs.define({.name = kChangesJob, .run = [&services](sdk::Job& job) {
                              return run_changes(services, job);
                          }});
}

sdk::Actions branch_change_actions() {
    std::vector<sdk::Parameter> between{{"id", true}, {"view"}};
    std::vector<sdk::Parameter> asked = between;
    for (const char* name : {"filter", "source", "target", "force"})
        asked.push_back({name});
    return {{.name = "changes/start",
             .run = operation<&start_changes>(),
             .parameters = asked,
             .paged = true,
             .answers = sdk::shape::job()},
            {.name = "changes/export",
             .method = "GET",
             .run = operation<&export_changes>(),
             .parameters = between,
             .slow = true,
             .answers = sdk::shape::bytes("text/csv")},
            {.name = "changes/invalidate",
             .run = operation<&invalidate_changes>(),
             .answers = sdk::shape::status({})}};
}

}  // namespace stele::nodes
