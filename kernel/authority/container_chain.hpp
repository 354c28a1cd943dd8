#pragma once

#include <cstddef>
#include <vector>

#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

/// Where rights on a record may lie, innermost first: the record, its siblings from which rights
/// reach it (the folders of a node), what contains them, what the outermost of these inherits from
/// (the stacks of a data store), and the platform's root record.
class ContainerChain {
public:
    ContainerChain() = default;
    explicit ContainerChain(sdk::RecordKey record) : records_{std::move(record)} {}
    /// `siblings` of the records lie behind the first; `sources` of them lie beside one another, in
    /// front of the last.
    ContainerChain(std::vector<sdk::RecordKey> records, std::size_t siblings, std::size_t sources)
        : records_(std::move(records)), siblings_(siblings), sources_(sources) {}

    std::size_t size() const { return records_.size(); }
    const sdk::RecordKey& operator[](std::size_t level) const { return records_[level]; }
    const sdk::RecordKey& front() const { return records_.front(); }

    /// Whether what is defined at level `outer` holds at level `level`. What a record inherits from
    /// knows nothing of what else it inherits from.
    bool is_above(std::size_t outer, std::size_t level) const {
        if (outer == level) return true;
        return outer > level && !is_sibling(outer) && (!is_source(outer) || !is_source(level));
    }
    /// The record itself, or one from which all rights reach it.
    bool is_own(std::size_t level) const { return level <= siblings_; }
    bool is_sibling(std::size_t level) const { return level > 0 && level <= siblings_; }

private:
    bool is_source(std::size_t level) const {
        return level + 1 < records_.size() && level + 1 + sources_ >= records_.size();
    }

    std::vector<sdk::RecordKey> records_;
    std::size_t siblings_ = 0;
    std::size_t sources_ = 0;
};

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record);

}  // namespace stele::kernel::authority
