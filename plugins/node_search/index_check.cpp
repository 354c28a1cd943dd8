#include "index_check.hpp"

#include <cstdint>

#include <fmt/format.h>
#include <xapian.h>

#include "index_document.hpp"
#include "index_mark.hpp"
#include "index_seal.hpp"
#include "query_builder.hpp"

namespace stele::node_search {

namespace {

/// A server that commits twice while a repository is read takes the older state away.
constexpr int kMaxTries = 5;

/// A number and a sum that does not depend on the order; equal ones stand for equal sets.
struct VersionSum {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;

    void add(std::uint64_t line, std::uint64_t revision, std::string_view node) {
        ++count;
        sum += digest(fmt::format("{} {} {}", line, revision, node));
    }
    friend bool operator==(const VersionSum&, const VersionSum&) = default;
};

std::string line(const sdk::ContentSpace& space, const std::string& what) {
    return fmt::format("platform {}, repository {}: the search index {}", space.platform,
                       space.repository, what);
}

sdk::Result<VersionSum> sum_of_history(sdk::ContentLog& log, const sdk::Reader& reader,
                                       const sdk::ContentSpace& space, std::uint64_t last) {
    VersionSum sum;
    simdjson::dom::parser parser;
    sdk::Result<void> failure;
    auto read = log.for_each_after(reader, space, 0, [&](const sdk::ContentVersion& version) {
        if (version.revision > last) return false;
        if (version.is_removed) return true;
        auto node = read_searched_node(parser, version);
        if (!node) {
            failure = node.error();
            return false;
        }
        if (*node) sum.add(version.line, version.revision, version.node);
        return true;
    });
    if (!read) return read.error();
    if (!failure) return failure.error();
    return sum;
}

/// Of what was written before the mark; more may have been written since.
VersionSum sum_of_index(const Xapian::Database& database, const sdk::ContentSpace& space,
                        std::uint64_t last) {
    VersionSum sum;
    const std::string term = Terms(space).space();
    for (auto found = database.postlist_begin(term); found != database.postlist_end(term);
         ++found) {
        const auto version =
            read_version_value(database.get_document(*found).get_value(kVersionSlot));
        if (!version) throw Xapian::DatabaseCorruptError("a document cannot be read");
        if (version->revision <= last) sum.add(version->line, version->revision, version->node);
    }
    return sum;
}

/// What is wrong; empty when nothing is.
sdk::Result<std::string> difference(sdk::ContentLog& log, const sdk::Reader& reader,
                                    const std::filesystem::path& folder,
                                    const sdk::ContentSpace& space) {
    const Xapian::Database database(folder.string());
    // It is about to be built anew.
    if (database.get_metadata(kIndexFormatKey) != kIndexFormat) return std::string();
    const auto mark = read_mark(database.get_metadata(mark_key(space)));
    if (!mark) throw Xapian::DatabaseCorruptError("a mark cannot be read");
    auto is_same = has_history(log, reader, space, *mark);
    if (!is_same) return is_same.error();
    if (mark->revision == 0 || !*is_same) return std::string();
    const VersionSum found = sum_of_index(database, space, mark->revision);
    auto expected = sum_of_history(log, reader, space, mark->revision);
    if (!expected) return expected.error();
    if (found == *expected) return std::string();
    return fmt::format("has {} versions of nodes up to revision {}, and the history {}",
                       found.count, mark->revision, expected->count);
}

void check_space(sdk::ContentLog& log, const sdk::Reader& reader,
                 const std::filesystem::path& folder, const sdk::ContentSpace& space,
                 std::vector<std::string>& differences) {
    for (int tries = 1;; ++tries) {
        try {
            auto found = difference(log, reader, folder, space);
            if (!found) {
                differences.push_back(
                    line(space, fmt::format("cannot be compared: {} [{}]", found.error().message,
                                            found.error().code)));
            } else if (!found->empty()) {
                differences.push_back(line(space, *found));
            }
            return;
        } catch (const Xapian::DatabaseModifiedError& error) {
            if (tries < kMaxTries) continue;
            differences.push_back(line(space, "changes too fast to be compared"));
            return;
        } catch (const Xapian::Error& error) {
            differences.push_back(line(space, "cannot be read: " + error.get_description()));
            return;
        }
    }
}

}  // namespace

void check_index(sdk::ContentLog& log, const sdk::Reader& reader,
                 const std::filesystem::path& folder, std::vector<std::string>& differences) {
    std::error_code problem;
    if (!std::filesystem::exists(folder, problem)) return;
    if (const std::string changed = broken_index_seal(folder); !changed.empty()) {
        // What Xapian makes of such a file nobody knows.
        differences.push_back(fmt::format(
            "the search index {}: {} is not what it was when the index was closed; the server "
            "builds it anew at its next start",
            folder.string(), changed));
        return;
    }
    auto spaces = log.spaces(reader);
    if (!spaces) {
        differences.push_back(fmt::format("the list of repositories cannot be read: {} [{}]",
                                          spaces.error().message, spaces.error().code));
        return;
    }
    for (const sdk::ContentSpace& space : *spaces)
        check_space(log, reader, folder, space, differences);
}

}  // namespace stele::node_search
