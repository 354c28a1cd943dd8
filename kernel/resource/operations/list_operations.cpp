#include <cstdint>
#include <optional>

#include <stele/sdk/log.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/later_call.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/reply_parts.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/work/store_numbers.hpp"
#include "kernel/resource/work/withheld_members.hpp"

namespace stele::kernel::resource {

namespace {

/// A page in the making: rows as text, one after another, so that a list of any length needs little
/// memory. Owns everything that the rows come from.
class PageText {
public:
    PageText(Services& services, std::string list, std::uint64_t offset)
        : wishes_(services.index_wishes),
          list_(std::move(list)),
          moment_(services.authority_cache.moment()),
          reader_(services.engine->snapshot()),
          offset_(offset) {}

    const sdk::Reader& reader() const { return *reader_; }
    /// What the rows are read from.
    sdk::Result<const sdk::Reader*> open_space(const Records& records,
                                               const CollectionPlace& place) {
        auto space = records.open_space(*reader_, place);
        if (!space) return space.error();
        return &*space_.emplace(*std::move(space));
    }
    /// For decisions at the state that the reader shows.
    authority::Moment moment() const { return moment_; }
    void set_run(std::unique_ptr<storage::QueryRun> run) { run_ = std::move(run); }
    void set_projection(storage::Query query) { projection_ = std::move(query); }
    void set_parts(ReplyParts parts) { parts_ = parts; }
    enum class Explain { nothing, withheld, everything };
    void set_explain(Explain explain) { explain_ = explain; }
    /// Whether the caller may know how much a row's data store holds; empty: of all.
    using TellsNumbers = std::function<sdk::Result<bool>(const sdk::RecordKey& store)>;
    void set_tells_numbers(TellsNumbers tells) { tells_numbers_ = std::move(tells); }

    /// Appends up to about `limit` bytes; false after the last piece. Rows are presented by
    /// `presenter`, where there is one.
    sdk::Result<bool> append(std::string& out, std::size_t limit, const RoutedCall* presenter) {
        if (size_ == 0 && !is_open_) out += R"({"rows":[)";
        is_open_ = true;
        const std::size_t end = out.size() + limit;
        if (run_) run_->resume();
        while (run_ && out.size() < end) {
            auto more = run_->next(record_);
            if (!more) tell_of_index();
            if (!more && is_explained_anyway(more.error())) return finish_early(out);
            if (!more) return more.error();
            if (!*more) return finish(out);
            if (size_++ > 0) out += ',';
            if (auto appended = append_row(out, presenter); !appended) return appended.error();
        }
        if (!run_) return finish(out);
        return true;
    }

private:
    /// The row's text as the caller may know it, padded as a record's is.
    sdk::Result<std::string_view> known_text() {
        if (!tells_numbers_) return record_.text();
        auto tells = tells_numbers_(record_.key());
        if (!tells) return tells.error();
        if (*tells) return record_.text();
        auto text = without_numbers(record_.text());
        if (!text) return text.error();
        known_ = *std::move(text);
        const std::size_t size = known_.size();
        known_.append(storage::Record::kPadding, '\0');
        return std::string_view(known_).substr(0, size);
    }

    sdk::Result<std::string> row_text(const RoutedCall* presenter) {
        const auto known = known_text();
        if (!known) return known.error();
        const bool is_projected = projection_.has_projection();
        const bool is_presented =
            presenter && (!is_projected || presenter->route().resource->descriptor.is_presented);
        if (!is_presented) return is_projected ? projection_.project(*known) : std::string(*known);
        auto text = presented_text(*presenter, *known);
        if (!text || !is_projected) return text;
        const std::size_t size = text->size();
        text->append(storage::Record::kPadding, '\0');
        return projection_.project(std::string_view(*text).substr(0, size));
    }

    sdk::Result<void> append_row(std::string& out, const RoutedCall* presenter) {
        // Most rows go out as they are stored: they are copied once.
        if (!presenter && !tells_numbers_ && !projection_.has_projection() && parts_.is_whole()) {
            out += record_.text();
            return {};
        }
        auto text = row_text(presenter);
        if (text && !parts_.is_whole()) text = parts_.row(*text);
        if (!text) return text.error();
        out += *text;
        return {};
    }

    /// Whoever asks why a query takes so long is told, with the rows that were found by then.
    bool is_explained_anyway(const sdk::Error& error) const {
        return explain_ == Explain::everything && error.code == "query.time_spent";
    }

    bool finish_early(std::string& out) const {
        sdk::Json explained = run_->explain();
        explained["truncated"] = true;
        out += R"(],"total_rows":)" + std::to_string(offset_ + size_) + R"(,"offset":)" +
               std::to_string(offset_) + R"(,"size":)" + std::to_string(size_) + R"(,"explain":)" +
               sdk::dump_json(explained) + '}';
        return false;
    }

    sdk::Result<bool> finish(std::string& out) {
        std::uint64_t total = 0;
        if (run_) {
            auto counted = run_->total_rows();
            tell_of_index();
            if (!counted && is_explained_anyway(counted.error())) return finish_early(out);
            if (!counted) return counted.error();
            total = *counted;
        }
        out += R"(],"total_rows":)" + std::to_string(total) + R"(,"offset":)" +
               std::to_string(offset_) + R"(,"size":)" + std::to_string(size_);
        if (run_ && explain_ == Explain::withheld) out += R"(,"explain":{"withheld":true})";
        if (run_ && explain_ == Explain::everything)
            out += R"(,"explain":)" + sdk::dump_json(run_->explain());
        out += '}';
        return false;
    }

    /// Also of a list that took too long.
    void tell_of_index() {
        const auto wanted = run_->wanted_index();
        if (!wanted) return;
        if (const auto line = wishes_.note(list_, *wanted))
            sdk::log(sdk::LogLevel::info, "query", *line);
    }

    IndexWishes& wishes_;
    /// The request, as the log names it.
    const std::string list_;
    authority::Moment moment_;
    std::unique_ptr<sdk::Reader> reader_;
    std::optional<SpaceReader> space_;
    std::unique_ptr<storage::QueryRun> run_;
    storage::Query projection_;
    storage::Record record_;
    std::uint64_t offset_;
    std::uint64_t size_ = 0;
    bool is_open_ = false;
    Explain explain_ = Explain::nothing;
    TellsNumbers tells_numbers_;
    std::string known_;
    ReplyParts parts_;
};

/// The condition that a list's own parameters say.
sdk::Json filters_of(const RoutedCall& call) {
    sdk::Json condition = sdk::Json::object();
    for (const std::string& filter : call.route().resource->descriptor.list_filters) {
        if (auto value = call.query_parameter(filter)) condition[filter] = *value;
    }
    return condition;
}

/// Only what lies in the addressed part of the collection.
sdk::Json within_part(const CollectionPlace& place, sdk::Json condition) {
    for (const auto& [member, value] : place.part) {
        if (!condition.contains(member)) {
            condition[member] = value;
            continue;
        }
        // What the caller asks of it must hold, too.
        if (!condition.contains("$and")) condition["$and"] = sdk::Json::array();
        sdk::Json& all = condition["$and"];
        // Nothing else parses.
        if (!all.is_array()) continue;
        all.push_back(sdk::Json::object());
        all.back()[member] = value;
    }
    return condition;
}

/// What the caller may read of the collection at the state of the page; for the page's own use.
sdk::Result<storage::Visibility> visibility_of(const RoutedCall& call, const Listing& listing,
                                               const PageText& page) {
    storage::Visibility visibility;
    const bool is_guarded = listing.place.resource->is_guarded_by_container;
    if (is_guarded || call.context().session().is_system) return visibility;
    Services& services = call.services();
    const sdk::RecordKey principal = call.context().principal().key;
    auto visible =
        services.authorities.visible_records(page.reader(), principal, listing.place.container,
                                             storage::record_key_prefix(*listing.place.id));
    if (!visible) return visible.error();
    visibility.is_everything = visible->is_everything;
    if (visible->is_everything) return visibility;
    if (visible->only) {
        auto& only = visibility.only.emplace();
        for (const sdk::RecordKey& key : *visible->only) {
            storage::CollectionId collection;
            std::string_view sequence;
            if (storage::split_record_key(key, collection, sequence)) only.emplace_back(sequence);
        }
        return visibility;
    }
    visibility.accepts = [&services, &page,
                          principal](const storage::Record& record) -> sdk::Result<bool> {
        auto held = services.authority_cache.permissions(page.reader(), page.moment(), principal,
                                                         record.key(),
                                                         sdk::PermissionSet{sdk::Permission::read});
        if (!held) return held.error();
        return held->has(sdk::Permission::read);
    };
    return visibility;
}

constexpr std::size_t kPieceSize = 64 * 1024;
/// A page that grows beyond this is streamed.
constexpr std::size_t kWholeSize = 1024 * 1024;

}  // namespace

namespace {

/// The query of the parameter so named. Nothing, and the empty array that some clients write for
/// it, asks for everything.
sdk::Result<sdk::Json> query_of(const RoutedCall& call) {
    constexpr char kQuery[] = "query";
    auto query = sdk::parse_json(call.query_parameter(kQuery).value_or(""));
    if (!query) return sdk::invalid_parameter(kQuery, query.error().message);
    const bool is_nothing = query->is_null() || (query->is_array() && query->empty());
    if (is_nothing) return sdk::Json::object();
    if (!query->is_object()) return sdk::invalid_parameter(kQuery, "must be an object");
    return query;
}

/// What the caller asks for, as its family understands it.
sdk::Result<sdk::Reply> list_asked(const RoutedCall& call, sdk::Json query) {
    const RegisteredResource& family = *call.route().resource;
    auto completed = plugin::guarded<void>(family.plugin_id, "complete_query", [&] {
        return family.resource->complete_query(call, query);
    });
    if (!completed) return completed.error();
    Listing listing{.place = call.place(),
                    .condition = within_part(call.place(), std::move(query)),
                    .is_presented = is_presented(call)};
    // To project costs less than to parse each row again; what is computed is there only later.
    if (!listing.is_presented) listing.is_trimmed = ReplyParts::of(call).project(listing.condition);
    return list_rows(call, listing);
}

sdk::Result<sdk::Reply> list_own_rows(const RoutedCall& call) {
    const RegisteredResource& family = *call.route().resource;
    auto rows = plugin::guarded<std::vector<sdk::Json>>(
        family.plugin_id, "rows", [&] { return family.resource->rows(call); });
    if (!rows) return rows.error();
    return RowQuery(call.services().has_numeric_sort).page(*rows, filters_of(call), call.page());
}

}  // namespace

sdk::Result<sdk::Reply> list_records(RoutedCall& call) {
    const sdk::Listing& listing = call.route().resource->descriptor.listing;
    if (listing.has_own_rows) return list_own_rows(call);
    if (!listing.takes_query) return list_asked(call, filters_of(call));
    auto query = query_of(call);
    if (!query) return query.error();
    query->update(filters_of(call));
    return list_asked(call, *std::move(query));
}

sdk::Result<sdk::Reply> query_records(RoutedCall& call) {
    return list_asked(call, call.body());
}

sdk::Result<sdk::Reply> query_records_by_get(RoutedCall& call) {
    auto query = query_of(call);
    if (!query) return query.error();
    return list_asked(call, *std::move(query));
}

sdk::Result<sdk::Reply> list_rows(const RoutedCall& call, const Listing& listing) {
    Services& services = call.services();
    auto query = storage::Query::parse(listing.condition);
    if (!query) return query.error();
    auto page = std::make_shared<PageText>(
        services, call.route().method + ' ' + std::string(call.input().path), call.page().skip);
    if (!listing.is_trimmed) page->set_parts(ReplyParts::of(call));
    const CollectionPlace& place = listing.place;
    if (place.id) {
        auto open = check_asks_nothing_withheld(*place.resource, listing.condition, call.page());
        if (!open) return open.error();
        auto visibility = visibility_of(call, listing, *page);
        if (!visibility) return visibility.error();
        const bool sees_all = visibility->is_everything;
        if (!sees_all && has_store_numbers(*place.resource)) {
            auto allowed = check_asks_no_numbers(listing.condition, call.page());
            if (!allowed) return allowed.error();
            const sdk::SessionPtr session = call.input().session;
            page->set_tells_numbers(
                [&services, session, reader = &page->reader()](const auto& store) {
                    return may_know_numbers(services, *session, *reader, store);
                });
        }
        // Costs, and the way that was taken because of them, tell about the records that a caller
        // does not see.
        using Explain = PageText::Explain;
        if (call.page().explain)
            page->set_explain(sees_all ? Explain::everything : Explain::withheld);
        if (query->has_projection()) {
            auto projection = storage::Query::parse(listing.condition);
            if (!projection) return projection.error();
            page->set_projection(std::move(*projection));
        }
        auto space = page->open_space(services.records, place);
        if (!space) return space.error();
        auto run = services.documents.query(**space, *place.id, place.resource->rules,
                                            std::move(*query), call.page(), std::move(*visibility),
                                            services.has_numeric_sort);
        if (!run) return run.error();
        page->set_run(std::move(*run));
    }
    std::string text;
    auto more = page->append(text, kWholeSize, listing.is_presented ? &call : nullptr);
    if (!more) return more.error();
    if (!*more) return sdk::Reply::json_text(std::move(text));
    auto first = std::make_shared<std::string>(std::move(text));
    auto later = listing.is_presented ? std::make_shared<LaterCall>(call) : nullptr;
    return sdk::Reply::stream(
        [page, first, later](std::string& out) -> sdk::Result<bool> {
            if (!first->empty()) {
                out += *first;
                first->clear();
                first->shrink_to_fit();
                return true;
            }
            if (!later) return page->append(out, kPieceSize, nullptr);
            return later->run([&](const RoutedCall& presenter) {
                return page->append(out, kPieceSize, &presenter);
            });
        },
        "application/json;charset=UTF-8");
}

}  // namespace stele::kernel::resource
