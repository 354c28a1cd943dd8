#pragma once

#include <cstddef>
#include <vector>

#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

/// Where rights on a record may lie, innermost first: the record, its siblings from which rights
/// reach it (the folders of a node, and what these and the record are in the containers that they
/// came from), what contains them, the containers that the record came from, what the outermost of
/// these inherits from (the stacks of a data store), and the platform's root record.
class ContainerChain {
public:
    ContainerChain() = default;
    explicit ContainerChain(sdk::RecordKey record) : records_{std::move(record)} {}
    /// How many records of a chain are what.
    struct Parts {
        std::size_t siblings = 0;  ///< behind the first; what these are elsewhere stands last
        std::size_t elsewhere = 0;
        std::size_t origins = 0;  ///< behind the container, nearest first
        std::size_t sources = 0;  ///< beside one another, in front of the last
    };
    ContainerChain(std::vector<sdk::RecordKey> records, Parts parts)
        : records_(std::move(records)), parts_(parts) {}

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
    bool is_own(std::size_t level) const { return level <= parts_.siblings; }
    bool is_sibling(std::size_t level) const { return level > 0 && is_own(level); }
    /// The record or a sibling as it is where it came from.
    bool is_elsewhere(std::size_t level) const {
        return is_sibling(level) && level + parts_.elsewhere > parts_.siblings;
    }
    /// A container that the record only came into: it was made in another one.
    bool is_passed(std::size_t level) const {
        return level > parts_.siblings && level <= parts_.siblings + parts_.origins;
    }
    std::size_t origins() const { return parts_.origins; }

private:
    bool is_source(std::size_t level) const {
        return level + 1 < records_.size() && level + 1 + parts_.sources >= records_.size();
    }

    std::vector<sdk::RecordKey> records_;
    Parts parts_;
};

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record);
/// The chain of a container itself, with the containers that what lies in it may have come from:
/// it and these, nearest first, then what contains them.
sdk::Result<ContainerChain> contents_chain(const sdk::Reader& reader, RecordTree& tree,
                                           const sdk::RecordKey& container);

}  // namespace stele::kernel::authority
