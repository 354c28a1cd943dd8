#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/pagination/scanned_text.hpp"
#include "kernel/pagination/sort_order.hpp"
#include "kernel/storage/query/query_plan.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/query/query_time.hpp"
#include "kernel/storage/record/collection_rules.hpp"

namespace stele::kernel::storage {

class CompositeAdvisor;
class CompositeBuilder;

/// Everything that a query needs while it runs.
struct QueryInput {
    const sdk::Reader& reader;
    CollectionId collection;
    Query query;
    sdk::PageRequest page;
    Visibility visibility;
    bool numeric_sort;
};

/// A page of candidates that come in the order of the result, or else of the best that were found
/// when all were seen: keys and sequences only, records are read when their turn comes.
class PlannedRun final : public QueryRun {
public:
    static sdk::Result<std::unique_ptr<QueryRun>> start(QueryInput input, NameTable& names,
                                                        const CollectionRules& rules,
                                                        std::shared_ptr<const IndexState> state,
                                                        CompositeAdvisor& advisor,
                                                        CompositeBuilder& builder);

    sdk::Result<bool> next(Record& row) override;
    void resume() override { time_.resume(); }
    sdk::Result<std::uint64_t> total_rows() override;
    sdk::Json explain() const override;
    std::optional<WantedIndex> wanted_index() const override;

private:
    PlannedRun(QueryInput input, pagination::SortOrder order, CompositeAdvisor& advisor)
        : input_(std::move(input)), order_(std::move(order)), advisor_(advisor) {}

    /// The next visible match, counted; false when there is none any more. Reads it into `row` when
    /// it must be looked at.
    sdk::Result<bool> next_match(Candidate& candidate, Record& row);
    /// The next candidate of the plan, looked at some ahead where a look takes long.
    sdk::Result<bool> next_candidate(Candidate& candidate);
    sdk::Result<void> look_ahead();
    sdk::Result<bool> next_ordered(Record& row);
    sdk::Result<bool> next_sorted(Record& row);
    sdk::Result<void> rank_all();
    void rank(std::string key);
    sdk::Result<std::uint64_t> count_rest();
    sdk::Result<std::uint64_t> count_ranges();

    /// Whether a candidate is a visible match. Reads it into `row` when it must be looked at.
    sdk::Result<bool> is_match(const Candidate& candidate, Record& row);
    sdk::Result<bool> load(const Candidate& candidate, Record& row);
    bool is_page_full() const;
    void advise();
    void leave_to_clients(const SpaceIndexes& made);

    QueryInput input_;
    pagination::SortOrder order_;
    CompositeAdvisor& advisor_;
    /// Clients make the indexes there.
    bool is_in_space_ = false;
    RunCost cost_;
    QueryPlan plan_;

    /// Of a distant reader: candidates without their bytes that are expected already, and behind
    /// them perhaps one with its bytes.
    std::vector<ListedCandidate> ahead_;
    std::size_t next_ahead_ = 0;
    std::optional<Candidate> behind_;

    Record scratch_;
    /// Of the record that was loaded last.
    pagination::ScannedText scanned_;
    bool is_loaded_ = false;
    std::uint64_t matched_ = 0;
    std::optional<std::uint64_t> counted_;  ///< from entries
    std::uint64_t handed_out_ = 0;
    QueryTime time_;
    bool is_exhausted_ = false;
    bool is_advised_ = false;

    /// Sort keys with their sequences: a heap while ranking, then in order.
    std::vector<std::string> ranked_;
    std::size_t ranked_limit_ = 0;
    std::size_t next_ranked_ = 0;
    bool is_ranked_ = false;
};

}  // namespace stele::kernel::storage
