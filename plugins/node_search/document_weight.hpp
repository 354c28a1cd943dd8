#pragma once

#include <string>

#include <xapian.h>

namespace stele::node_search {

/// How well a document fits by what it says itself: how often it has a word, and how long it is.
/// Of how rare a word is among all documents nothing is used, as BM25 does: the index holds every
/// version of every repository, so that scores, and their order, would tell about nodes that the
/// caller may not read (docs/decisions/0050-what-hidden-records-tell.md).
class DocumentWeight final : public Xapian::Weight {
public:
    DocumentWeight();

    std::string name() const override;
    double get_sumpart(Xapian::termcount wdf, Xapian::termcount length,
                       Xapian::termcount unique) const override;
    double get_maxpart() const override;
    double get_sumextra(Xapian::termcount length, Xapian::termcount unique) const override;
    double get_maxextra() const override;

private:
    DocumentWeight* clone() const override;
    void init(double factor) override;

    double factor_ = 1;
};

}  // namespace stele::node_search
