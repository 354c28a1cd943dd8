#include "kernel/storage/query/planned_run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"

namespace stele::kernel::storage {

namespace {

/// An index is worth telling of where it saves that much.
constexpr std::uint64_t kTimesCheaper = 10;
/// Candidates that are looked at together where a look takes long.
constexpr std::size_t kAhead = 64;

/// Rows that a page reaches into the result; the largest number for an unlimited one.
std::size_t reach(const sdk::PageRequest& page) {
    constexpr auto kAll = std::numeric_limits<std::size_t>::max();
    if (page.limit < 0) return kAll;
    const auto limit = static_cast<std::uint64_t>(page.limit);
    return page.skip > kAll - limit ? kAll : page.skip + limit;
}

}  // namespace

QueryRun::~QueryRun() = default;

sdk::Result<std::unique_ptr<QueryRun>> PlannedRun::start(QueryInput input, NameTable& names,
                                                         const CollectionRules& rules,
                                                         std::shared_ptr<const IndexState> state,
                                                         CompositeAdvisor& advisor,
                                                         CompositeBuilder& builder) {
    auto order =
        pagination::SortOrder::make(input.page.sort, input.page.options, input.numeric_sort);
    if (!order) return order.error();
    std::unique_ptr<PlannedRun> run(new PlannedRun(std::move(input), std::move(*order), advisor));
    const QueryInput& kept = run->input_;
    const PlanRequest request{kept.reader, kept.collection, names,
                              *state,      rules,           kept.query,
                              kept.page,   kept.visibility, kept.numeric_sort};
    auto plan = Planner(request, run->cost_).make();
    if (!plan) return plan.error();
    run->plan_ = std::move(*plan);
    run->ranked_limit_ = reach(kept.page);
    run->is_in_space_ = rules.is_in_space;
    if (rules.is_in_space) {
        run->leave_to_clients(state->made);
        run->plan_.advised_is_building = false;
    }
    if (run->plan_.advised_is_building) builder.resume(kept.collection);
    return std::unique_ptr<QueryRun>(std::move(run));
}

sdk::Result<bool> PlannedRun::next(Record& row) {
    if (is_page_full()) return false;
    return plan_.is_ordered ? next_ordered(row) : next_sorted(row);
}

bool PlannedRun::is_page_full() const {
    return input_.page.limit >= 0 && handed_out_ >= static_cast<std::uint64_t>(input_.page.limit);
}

sdk::Result<bool> PlannedRun::next_match(Candidate& candidate, Record& row) {
    while (!is_exhausted_) {
        if (auto left = time_.count_work(); !left) return left.error();
        const auto more = next_candidate(candidate);
        if (!more) return more.error();
        if (!*more) {
            is_exhausted_ = true;
            break;
        }
        const auto match = is_match(candidate, row);
        if (!match) return match.error();
        if (!*match) continue;
        ++matched_;
        return true;
    }
    return false;
}

sdk::Result<bool> PlannedRun::next_candidate(Candidate& candidate) {
    if (!input_.reader.is_distant()) return plan_.source->next(candidate);
    if (next_ahead_ == ahead_.size() && !behind_) {
        if (auto looked = look_ahead(); !looked) return looked.error();
    }
    if (next_ahead_ < ahead_.size()) {
        const ListedCandidate& listed = ahead_[next_ahead_++];
        candidate = {listed.view(), {}, listed.is_exact};
        return true;
    }
    if (!behind_) return false;
    candidate = *std::exchange(behind_, std::nullopt);
    return true;
}

/// No further than the page goes for sure: what the query cost is told.
sdk::Result<void> PlannedRun::look_ahead() {
    ahead_.clear();
    next_ahead_ = 0;
    const std::size_t last = reach(input_.page);
    const std::size_t wanted =
        plan_.is_ordered && matched_ < last ? last - static_cast<std::size_t>(matched_) : kAhead;
    const bool must_ask = !input_.visibility.is_everything && !input_.visibility.only;
    std::vector<sdk::KeyRange> records;
    Candidate candidate;
    while (ahead_.size() < std::min(wanted, kAhead)) {
        const auto more = plan_.source->next(candidate);
        if (!more) return more.error();
        if (!*more) break;
        if (!candidate.stored.empty()) {
            behind_ = candidate;
            break;
        }
        const std::uint64_t place = matched_ + ahead_.size();
        const bool is_of_page = !plan_.is_ordered || (place >= input_.page.skip && place < last);
        if (must_ask || !candidate.is_exact || is_of_page)
            records.push_back(sdk::only_key(record_path(input_.collection, candidate.sequence)));
        ahead_.push_back(ListedCandidate::of(candidate.sequence, candidate.is_exact));
    }
    input_.reader.expect(records);
    return {};
}

sdk::Result<bool> PlannedRun::next_ordered(Record& row) {
    Candidate candidate;
    do {
        const auto match = next_match(candidate, row);
        if (!match || !*match) return match;
    } while (matched_ <= input_.page.skip);
    if (!is_loaded_) {
        const auto loaded = load(candidate, row);
        if (!loaded) return loaded.error();
    }
    ++handed_out_;
    return true;
}

sdk::Result<bool> PlannedRun::next_sorted(Record& row) {
    if (!is_ranked_) {
        if (auto ranked = rank_all(); !ranked) return ranked.error();
    }
    if (next_ranked_ >= ranked_.size()) return false;
    if (auto left = time_.count_work(); !left) return left.error();
    const std::string key = std::move(ranked_[next_ranked_++]);
    const std::string_view sequence = std::string_view(key).substr(key.size() - kSequenceSize);
    const auto loaded = load({sequence, {}, true}, row);
    if (!loaded) return loaded.error();
    if (!*loaded) return broken_record(input_.collection, sequence);
    ++handed_out_;
    return true;
}

sdk::Result<void> PlannedRun::rank_all() {
    Candidate candidate;
    std::string key;
    for (;;) {
        const auto match = next_match(candidate, scratch_);
        if (!match) return match.error();
        if (!*match) break;
        if (ranked_limit_ == 0) continue;
        if (!is_loaded_) {
            const auto loaded = load(candidate, scratch_);
            if (!loaded) return loaded.error();
        }
        order_.key_of(scanned_, key);
        key.append(candidate.sequence);
        rank(key);
    }
    is_ranked_ = true;
    std::sort(ranked_.begin(), ranked_.end());
    next_ranked_ =
        static_cast<std::size_t>(std::min<std::uint64_t>(input_.page.skip, ranked_.size()));
    if (!input_.reader.is_distant()) return {};
    std::vector<sdk::KeyRange> records;
    for (std::size_t at = next_ranked_; at < ranked_.size() && records.size() < kAhead; ++at) {
        const std::string_view ranked = ranked_[at];
        records.push_back(sdk::only_key(
            record_path(input_.collection, ranked.substr(ranked.size() - kSequenceSize))));
    }
    input_.reader.expect(records);
    return {};
}

void PlannedRun::rank(std::string key) {
    if (ranked_.size() < ranked_limit_) {
        ranked_.push_back(std::move(key));
        // Only a full heap ever gives its greatest key away.
        if (ranked_.size() == ranked_limit_) std::make_heap(ranked_.begin(), ranked_.end());
        return;
    }
    if (key >= ranked_.front()) return;
    std::pop_heap(ranked_.begin(), ranked_.end());
    ranked_.back() = std::move(key);
    std::push_heap(ranked_.begin(), ranked_.end());
}

sdk::Result<bool> PlannedRun::is_match(const Candidate& candidate, Record& row) {
    is_loaded_ = false;
    const Visibility& visibility = input_.visibility;
    const bool is_limited = !visibility.is_everything;
    const bool has_list = is_limited && visibility.only.has_value();
    if (has_list && !plan_.is_visible_list) {
        const bool is_listed = std::binary_search(visibility.only->begin(), visibility.only->end(),
                                                  candidate.sequence, std::less<>());
        if (!is_listed) return false;
    }
    const bool must_ask = is_limited && !has_list;
    if (candidate.is_exact && !must_ask) return true;
    const auto loaded = load(candidate, row);
    if (!loaded || !*loaded) return loaded;
    is_loaded_ = true;
    if (!candidate.is_exact && !input_.query.matches(scanned_)) return false;
    // Rights that say nothing show nothing.
    if (must_ask) return visibility.accepts ? visibility.accepts(row) : false;
    return true;
}

sdk::Result<bool> PlannedRun::load(const Candidate& candidate, Record& row) {
    if (candidate.stored.empty()) {
        ++cost_.records;
        const auto found = input_.reader.get_into(
            record_path(input_.collection, candidate.sequence), row.buffer());
        if (!found) return found.error();
        const bool may_be_gone = plan_.access == "ids" || plan_.access == "visible";
        if (!*found && may_be_gone) return false;
        if (!*found) {
            return sdk::make_error(sdk::ErrorKind::internal, "document.index_broken",
                                   "An index names a record that does not exist.",
                                   "collection " + std::to_string(input_.collection.number) +
                                       ", record " + sequence_text(candidate.sequence));
        }
    } else {
        row.buffer().assign(candidate.stored);
    }
    if (!row.decode()) return broken_record(input_.collection, candidate.sequence);
    row.collection = input_.collection;
    row.sequence.assign(candidate.sequence);
    scanned_.set(row.text());
    // The next one may find out how long this one has taken.
    time_.add_bytes(row.text().size());
    return true;
}

sdk::Result<std::uint64_t> PlannedRun::total_rows() {
    if (counted_) return *counted_;
    sdk::Result<std::uint64_t> total = plan_.total                  ? *plan_.total
                                       : plan_.total_ranges.empty() ? count_rest()
                                                                    : count_ranges();
    if (total) advise();
    return total;
}

sdk::Result<std::uint64_t> PlannedRun::count_ranges() {
    std::uint64_t matches = 0;
    for (const sdk::KeyRange& range : plan_.total_ranges) {
        const auto entries = input_.reader.count(range, [this] { return time_.count_work(); });
        if (!entries) return entries.error();
        matches += *entries;
    }
    cost_.entries += matches;
    plan_.total_ranges.clear();
    counted_ = matches;
    return matches;
}

sdk::Result<std::uint64_t> PlannedRun::count_rest() {
    if (!plan_.is_ordered && !is_ranked_) {
        if (auto ranked = rank_all(); !ranked) return ranked.error();
    }
    Candidate candidate;
    for (;;) {
        const auto match = next_match(candidate, scratch_);
        if (!match) return match.error();
        if (!*match) return matched_;
    }
}

/// Keeps the members of an index that a client could make: those that the query has equalities for,
/// and the one that it sorts by, each once. One that is there already serves, is not complete yet,
/// or cannot serve: advice would not help.
void PlannedRun::leave_to_clients(const SpaceIndexes& made) {
    std::vector<std::string>& wanted = plan_.advised;
    if (wanted.empty()) return;
    if (input_.page.sort.empty()) wanted.pop_back();
    if (std::find(wanted.begin(), wanted.end() - 1, wanted.back()) != wanted.end() - 1)
        wanted.pop_back();
    std::vector<std::string> members = wanted;
    std::sort(members.begin(), members.end());
    const bool is_made = std::any_of(made.all.begin(), made.all.end(), [&](const SpaceIndex& one) {
        if (one.members.size() < members.size()) return false;
        std::vector<std::string> leading;
        for (std::size_t i = 0; i < members.size(); ++i)
            leading.push_back(one.members[i].path);
        std::sort(leading.begin(), leading.end());
        return leading == members;
    });
    if (is_made || wanted.size() < 2) wanted.clear();
}

std::optional<WantedIndex> PlannedRun::wanted_index() const {
    if (!is_in_space_ || plan_.advised.empty()) return std::nullopt;
    // The total would be counted all the same.
    const std::uint64_t visited = cost_.entries + cost_.records - counted_.value_or(0);
    const std::uint64_t reached = handed_out_ + input_.page.skip;
    const bool is_costly =
        visited >= CompositeAdvisor::kCostly && visited / kTimesCheaper > reached;
    if (!is_costly) return std::nullopt;
    return WantedIndex{plan_.advised, visited, handed_out_};
}

void PlannedRun::advise() {
    if (is_in_space_ || is_advised_ || plan_.advised.empty()) return;
    is_advised_ = true;
    const std::uint64_t visited = cost_.entries + cost_.records;
    if (visited < handed_out_ + input_.page.skip + CompositeAdvisor::kCostly) return;
    advisor_.costly(input_.collection, plan_.advised, plan_.advised_is_numeric);
}

sdk::Json PlannedRun::explain() const {
    sdk::Json explained = {{"access", plan_.access}};
    if (!plan_.index.empty()) explained["index"] = plan_.index;
    if (!plan_.fields.empty()) explained["fields"] = plan_.fields;
    if (!plan_.conditions.empty()) explained["conditions"] = plan_.conditions;
    explained["order"] = plan_.is_ordered ? "as found" : "sorted";
    explained["total"] = plan_.total ? "counter" : "counted";
    explained["entries"] = cost_.entries;
    explained["records"] = cost_.records;
    explained["collection_rows"] = plan_.collection_rows;
    if (is_in_space_ ? wanted_index().has_value() : !plan_.advised.empty())
        explained["wanted_index"] = plan_.advised;
    if (plan_.advised_is_building) explained["wanted_index_state"] = "building";
    return explained;
}

}  // namespace stele::kernel::storage
