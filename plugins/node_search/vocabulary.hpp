#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include <stele/sdk/result.hpp>

#include "range_values.hpp"

namespace stele::node_search {

/// Whether a word fits a pattern: `*` stands for any run, `?` for one character (UTF-8).
bool fits_pattern(std::string_view word, std::string_view pattern);

/// Edits (inserted, left out, changed characters) between two words, or more than `most`.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t most);

/// How many terms may still be looked at for a search, and how many may fit.
struct TermsLeft {
    std::size_t looked_at = 1'000'000;
    std::size_t fitting = 20'000;
};

/// The terms of an index that begin with `terms` and whose rest begins with `beginning` and fits.
/// Fails with `invalid` (`node_search.pattern_too_wide`) when too many do, or too many would have
/// to be looked at, for this pattern or with those that came before it in the search.
sdk::Result<std::vector<std::string>> fitting_terms(
    const Xapian::Database& database, const std::string& terms, const std::string& beginning,
    const std::function<bool(std::string_view word)>& fits, TermsLeft& left);

/// Takes off `left` how many terms begin with `terms` and have a rest that the bounds hold, and how
/// many documents have these. Fails with `invalid` (`node_search.range_too_wide`) where that is
/// more than is left for the search.
sdk::Result<void> look_at_range(const Xapian::Database& database, const std::string& terms,
                                const RangeBounds& bounds, std::size_t& left);

/// The documents of such terms. Lives in a query, which may outlive what it was made from.
class RangeSource final : public Xapian::PostingSource {
public:
    RangeSource(std::string terms, RangeBounds bounds)
        : terms_(std::move(terms)), bounds_(std::move(bounds)) {}

    void init(const Xapian::Database& database) override;
    Xapian::doccount get_termfreq_min() const override { return size(); }
    Xapian::doccount get_termfreq_est() const override { return size(); }
    Xapian::doccount get_termfreq_max() const override { return size(); }
    double get_weight() const override { return kScore; }
    void next(double least) override;
    void skip_to(Xapian::docid document, double least) override;
    bool at_end() const override { return next_ > documents_.size(); }
    Xapian::docid get_docid() const override { return documents_[next_ - 1]; }
    RangeSource* clone() const override { return new RangeSource(terms_, bounds_); }

private:
    static constexpr double kScore = 1.0;

    Xapian::doccount size() const { return static_cast<Xapian::doccount>(documents_.size()); }

    std::string terms_;
    RangeBounds bounds_;
    /// In order, each once.
    std::vector<Xapian::docid> documents_;
    /// One behind the present one; none is before the first `next`.
    std::size_t next_ = 0;
};

}  // namespace stele::node_search
