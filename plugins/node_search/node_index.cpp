#include "node_index.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <xapian.h>

#include <stele/sdk/log.hpp>

#include "document_weight.hpp"
#include "index_document.hpp"
#include "index_seal.hpp"
#include "query_builder.hpp"
#include "terms.hpp"

namespace stele::node_search {

namespace {

constexpr std::size_t kClearedAtOnce = 500;

Xapian::docid first_document(const Xapian::Database& database, const std::string& term) {
    const auto found = database.postlist_begin(term);
    return found == database.postlist_end(term) ? 0 : *found;
}

Candidate read_version(const std::string& value) {
    auto candidate = read_version_value(value);
    if (!candidate) throw Xapian::DatabaseCorruptError("a document cannot be read");
    return *candidate;
}

/// The version before shows no longer from this revision on. Its words are not looked at, which
/// would cost as much as writing them.
void end_former(Xapian::WritableDatabase& xapian, const Terms& terms,
                const sdk::ContentVersion& version) {
    if (version.former == 0) return;
    const Xapian::docid former =
        first_document(xapian, terms.version(version.line, version.node, version.former));
    // What is not searched has no document.
    if (former == 0) return;
    Xapian::Document document = xapian.get_document(former);
    document.add_value(kDiedSlot, revision_value(version.revision));
    xapian.replace_document(former, document);
}

/// Takes the version away where it is there already.
void remove_version(Xapian::WritableDatabase& xapian, const Terms& terms,
                    const sdk::ContentVersion& version) {
    const std::string term = terms.version(version.line, version.node, version.revision);
    if (const Xapian::docid present = first_document(xapian, term); present != 0)
        xapian.delete_document(present);
}

void write_marks(Xapian::WritableDatabase& xapian,
                 const std::map<sdk::ContentSpace, IndexMark>& marks) {
    for (const auto& [space, mark] : marks)
        xapian.set_metadata(mark_key(space), mark_text(mark));
}

/// Whether the files are the reason, and not the system, whose reasons pass. That a file ends too
/// early Xapian tells by its most general error, without a reason of the system.
bool is_damage(const Xapian::Error& error) {
    static constexpr std::string_view kDamages[] = {"DatabaseCorruptError", "DatabaseOpeningError",
                                                    "DatabaseVersionError",
                                                    "DatabaseNotFoundError"};
    const std::string_view type = error.get_type();
    return std::find(std::begin(kDamages), std::end(kDamages), type) != std::end(kDamages) ||
           (type == "DatabaseError" && !error.get_error_string());
}

sdk::Error unavailable(std::string detail) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "node_search.index_unavailable",
                           "the search index cannot be used at present", std::move(detail));
}

}  // namespace

/// An open database of the present format.
class NodeIndex::Database {
public:
    explicit Database(const std::filesystem::path& folder)
        : xapian(folder.string(), Xapian::DB_CREATE_OR_OPEN) {
        const std::string format = xapian.get_metadata(kIndexFormatKey);
        if (format == kIndexFormat) return;
        if (!format.empty() || xapian.get_doccount() > 0)
            throw Xapian::DatabaseCorruptError("written in format '" + format + "'");
        xapian.set_metadata(kIndexFormatKey, kIndexFormat);
        xapian.commit();
    }

    Xapian::WritableDatabase xapian;
};

NodeIndex::NodeIndex(std::filesystem::path folder, IndexOptions options)
    : folder_(std::move(folder)), options_(options) {}

NodeIndex::~NodeIndex() {
    auto closed = commit();
    const bool was_open = is_open();
    database_.reset();
    if (closed && was_open) closed = write_index_seal(folder_);
    if (!closed) sdk::log(sdk::LogLevel::warning, "node_search", closed.error().detail);
}

/// The end of a database commits its documents, with which their marks must go.
void NodeIndex::keep_marks() {
    try {
        write_marks(database_->xapian, pending_.marks);
    } catch (const Xapian::Error& error) {
        sdk::log(sdk::LogLevel::warning, "node_search",
                 "marks of the search index are lost: " + error.get_description());
    }
}

/// A damaged index goes away as a whole: it holds nothing that the repositories do not.
sdk::Error NodeIndex::close_after(const std::string& what, bool is_damaged) {
    if (database_ && !is_damaged) keep_marks();
    database_.reset();
    pending_ = {};
    std::string detail = fmt::format("search index {}: {}", folder_.string(), what);
    if (!is_damaged) return unavailable(std::move(detail));
    sdk::log(sdk::LogLevel::warning, "node_search", detail + "; it is built anew");
    std::error_code problem;
    std::filesystem::remove_all(folder_, problem);
    if (problem) detail += "; cannot be removed: " + problem.message();
    return unavailable(std::move(detail));
}

template <class Work>
auto NodeIndex::guarded(Work work) -> decltype(work(std::declval<Database&>())) {
    if (!database_) return unavailable("search index " + folder_.string() + " is not open");
    try {
        return work(*database_);
    } catch (const Xapian::Error& error) {
        return close_after(error.get_description(), is_damage(error));
    }
}

sdk::Result<void> NodeIndex::open() {
    if (database_) return {};
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) return unavailable(folder_.string() + ": " + problem.message());
    if (const std::string changed = broken_index_seal(folder_); !changed.empty())
        return close_after(changed + " is not what it was when the index was closed", true);
    if (auto removed = remove_index_seal(folder_); !removed) return removed;
    try {
        database_ = std::make_unique<Database>(folder_);
        ++generation_;
        return {};
    } catch (const Xapian::Error& error) {
        return close_after(error.get_description(), is_damage(error));
    }
}

/// A damaged index is made anew and the work tried once more.
template <class Work>
auto NodeIndex::opened(Work work) -> decltype(work(std::declval<Database&>())) {
    if (open()) {
        if (auto done = guarded(work); done || database_) return done;
    }
    if (auto again = open(); !again) return again.error();
    return guarded(work);
}

sdk::Result<IndexMark> NodeIndex::mark(const sdk::ContentSpace& space) {
    return opened([&](Database& database) -> sdk::Result<IndexMark> {
        const auto pending = pending_.marks.find(space);
        if (pending != pending_.marks.end()) return pending->second;
        const auto mark = read_mark(database.xapian.get_metadata(mark_key(space)));
        if (!mark) throw Xapian::DatabaseCorruptError("a mark cannot be read");
        return *mark;
    });
}

sdk::Result<void> NodeIndex::set_mark(const sdk::ContentSpace& space, const IndexMark& mark) {
    return guarded([&](Database&) -> sdk::Result<void> {
        pending_.marks[space] = mark;
        return {};
    });
}

/// Everything that is pending; throws what Xapian throws.
void NodeIndex::write_down(Database& database) {
    write_marks(database.xapian, pending_.marks);
    database.xapian.commit();
    pending_ = {};
}

sdk::Result<void> NodeIndex::commit() {
    if (!has_pending()) return {};
    return guarded([&](Database& database) -> sdk::Result<void> {
        write_down(database);
        return {};
    });
}

sdk::Result<void> NodeIndex::commit_when_full(std::size_t bytes) {
    ++pending_.documents;
    pending_.bytes += bytes;
    const bool is_full = pending_.documents >= options_.pending_documents ||
                         pending_.bytes >= options_.pending_bytes;
    return is_full ? commit() : sdk::Result<void>();
}

sdk::Result<void> NodeIndex::write(const sdk::ContentSpace& space,
                                   const sdk::ContentVersion& version, std::string_view attached,
                                   bool may_be_there) {
    sdk::Result<std::optional<simdjson::dom::object>> node = std::optional<simdjson::dom::object>();
    if (!version.is_removed) node = read_searched_node(parser_, version);
    if (!node) return node.error();
    auto written = guarded([&](Database& database) -> sdk::Result<void> {
        Xapian::WritableDatabase& xapian = database.xapian;
        const Terms terms(space);
        if (may_be_there) remove_version(xapian, terms, version);
        end_former(xapian, terms, version);
        if (!*node) return {};
        const Candidate candidate{0, version.line, version.revision, version.node};
        xapian.add_document(make_document(terms, candidate, **node, attached));
        return {};
    });
    if (!written) return written;
    return commit_when_full(version.text.size() + attached.size());
}

sdk::Result<bool> NodeIndex::clear_some(const sdk::ContentSpace& space) {
    return opened([&](Database& database) -> sdk::Result<bool> {
        Xapian::WritableDatabase& xapian = database.xapian;
        pending_.marks.erase(space);
        xapian.set_metadata(mark_key(space), kHalfCleared);
        const std::string term = Terms(space).space();
        std::vector<Xapian::docid> documents;
        for (auto found = xapian.postlist_begin(term);
             found != xapian.postlist_end(term) && documents.size() < kClearedAtOnce; ++found)
            documents.push_back(*found);
        for (const Xapian::docid document : documents)
            xapian.delete_document(document);
        const bool is_clear = documents.size() < kClearedAtOnce;
        if (is_clear) xapian.set_metadata(mark_key(space), "");
        // The commit takes the documents of the other repositories along.
        write_down(database);
        return is_clear;
    });
}

sdk::Result<bool> NodeIndex::is_half_cleared(const sdk::ContentSpace& space) {
    return opened([&](Database& database) -> sdk::Result<bool> {
        return database.xapian.get_metadata(mark_key(space)) == kHalfCleared;
    });
}

sdk::Result<std::vector<sdk::ContentSpace>> NodeIndex::spaces() {
    return opened([&](Database& database) -> sdk::Result<std::vector<sdk::ContentSpace>> {
        std::vector<sdk::ContentSpace> spaces;
        const Xapian::WritableDatabase& xapian = database.xapian;
        for (const auto& [space, mark] : pending_.marks)
            spaces.push_back(space);
        for (auto key = xapian.metadata_keys_begin(kMarkKey);
             key != xapian.metadata_keys_end(kMarkKey); ++key) {
            const auto space = read_space_name((*key).substr(sizeof(kMarkKey) - 1));
            if (!space) throw Xapian::DatabaseCorruptError("a mark's name cannot be read");
            if (!pending_.marks.contains(*space)) spaces.push_back(*space);
        }
        return spaces;
    });
}

sdk::Result<Candidates> NodeIndex::find(const sdk::ContentView& view, const Expression& expression,
                                        std::size_t most, std::uint64_t indexed_to) {
    return guarded([&](Database& database) -> sdk::Result<Candidates> {
        Candidates candidates;
        auto wanted = build_query(database.xapian, view.space, expression);
        if (!wanted) return wanted.error();
        if (!*wanted || view.links.empty()) return candidates;
        Xapian::Enquire enquire(database.xapian);
        enquire.set_weighting_scheme(DocumentWeight());
        enquire.set_query(
            Xapian::Query(Xapian::Query::OP_FILTER, **wanted, view_query(view, indexed_to)));
        enquire.set_sort_by_relevance_then_value(kVersionSlot, false);
        // All are looked at, so that the number of them is exact.
        const Xapian::MSet found = enquire.get_mset(0, static_cast<Xapian::doccount>(most),
                                                    database.xapian.get_doccount());
        candidates.total = found.get_matches_lower_bound();
        for (auto hit = found.begin(); hit != found.end(); ++hit) {
            Candidate candidate = read_version(hit.get_sort_key());
            candidate.score = hit.get_weight();
            candidates.best.push_back(std::move(candidate));
        }
        return candidates;
    });
}

}  // namespace stele::node_search
