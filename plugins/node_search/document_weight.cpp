#include "document_weight.hpp"

namespace stele::node_search {

namespace {

// The further occurrences of a word count less and less, and never more than this together.
constexpr double kMaxOfWord = 2;
// A document of so many words is neither short nor long; half of a word's weight depends on it.
constexpr double kUsualLength = 100;
constexpr double kPartOfLength = 0.5;

}  // namespace

DocumentWeight::DocumentWeight() {
    need_stat(WDF);
    need_stat(WQF);
    need_stat(DOC_LENGTH);
}

std::string DocumentWeight::name() const {
    return "stele::DocumentWeight";
}

double DocumentWeight::get_sumpart(Xapian::termcount wdf, Xapian::termcount length,
                                   Xapian::termcount) const {
    const double length_part = kPartOfLength * static_cast<double>(length) / kUsualLength;
    const double damping = (kMaxOfWord - 1) * (1 - kPartOfLength + length_part);
    const double count = static_cast<double>(wdf);
    return factor_ * kMaxOfWord * count / (count + damping);
}

double DocumentWeight::get_maxpart() const {
    return factor_ * kMaxOfWord;
}

double DocumentWeight::get_sumextra(Xapian::termcount, Xapian::termcount) const {
    return 0;
}

double DocumentWeight::get_maxextra() const {
    return 0;
}

DocumentWeight* DocumentWeight::clone() const {
    return new DocumentWeight();
}

void DocumentWeight::init(double factor) {
    factor_ = factor * static_cast<double>(get_wqf());
}

}  // namespace stele::node_search
